/** How a server of the benchmark comes up and ends: on a free loopback port that it prints, until its parent goes away. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port of 127.0.0.1, prints `{"port":N}`, and ends the process when stdin closes. */
export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ port })}\n`);
  });
  process.stdin.resume().on('end', () => process.exit(0));
}
