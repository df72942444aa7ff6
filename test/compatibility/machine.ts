/** What the run needs of the machine: free ports, the Go programs built, and which languages are there. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, until } from '../e2e/kit.ts';
import type { Needs } from './servers.ts';

const run = promisify(execFile);
const GO = join(import.meta.dirname, 'go');

/** A port that was free a moment ago: some of the servers cannot choose one and say which. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves when something listens on the port. */
export function listening(port: number): Promise<void> {
  const accepts = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      const end = (answer: boolean) => (): void => {
        socket.destroy();
        resolve(answer);
      };
      socket.once('connect', end(true)).once('error', end(false));
    });
  return until(accepts, 30_000);
}

/** npm packages by what a reader calls them. */
const PACKAGES: Readonly<Record<string, string>> = {
  'server-everything': '@modelcontextprotocol/server-everything',
  'SDK v1': '@modelcontextprotocol/sdk',
  'SDK v2 client': '@modelcontextprotocol/client',
  'SDK v2 server': '@modelcontextprotocol/server',
};

const PYTHON =
  'from importlib.metadata import version as v; print("Python SDK", v("mcp")); print("fastmcp", v("fastmcp"))';

/** The versions that were measured, each as `name version`. */
export async function versions(): Promise<string[]> {
  const npm = Object.entries(PACKAGES).map(([title, name]) => {
    const file = join(ROOT, 'node_modules', name, 'package.json');
    return `${title} ${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}`;
  });
  const python = await run('python3', ['-c', PYTHON]).then(({ stdout }) => stdout.trim().split('\n'));
  const [, go] = /go-sdk v(\S+)/.exec(readFileSync(join(GO, 'go.mod'), 'utf8')) ?? [];
  return [...npm, ...python, `Go SDK ${go}`];
}

/** Each: what must work for the language to be usable. `into` is where the Go programs are built. */
const CHECKS: Readonly<Record<Needs, (into: string) => Promise<unknown>>> = {
  Go: (into) => run('go', ['build', '-o', `${into}/`, './...'], { cwd: GO }),
  'mcp (Python)': () => run('python3', ['-c', 'import mcp.server.mcpserver']),
  'fastmcp (Python)': () => run('python3', ['-c', 'import fastmcp']),
};

/** @returns what is missing, each with the last line of why. */
export async function missing(into: string): Promise<Map<Needs, string>> {
  const found = new Map<Needs, string>();
  for (const [needs, check] of Object.entries(CHECKS) as [Needs, (into: string) => Promise<unknown>][])
    await check(into).catch((error: Error) => found.set(needs, error.message.trim().split('\n').at(-1)!));
  return found;
}
