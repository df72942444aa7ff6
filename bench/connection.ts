/** One keep-alive HTTP/1.1 connection to a loopback address, so thin that the load generator costs little next to the server. */
import { once } from 'node:events';
import { BlockList, connect, isIP, type Socket } from 'node:net';
import { ReplyParser, type Reply } from './reply.ts';

const CALL_TIMEOUT = 20_000;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Host and port of a loopback URL. Throws on any other: a load generator must not be pointed at strangers. */
export function loopbackAddress(url: URL): { readonly host: string; readonly port: number } {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  if (family === 0 || !loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')) {
    throw new Error(`${url.host} is no loopback address: use 127.0.0.1 or [::1]`);
  }
  return { host, port: Number(url.port) };
}

/** A connection on which one request at a time is under way. */
export class Connection {
  readonly #socket: Socket;
  readonly #parser = new ReplyParser();
  #waiting: PromiseWithResolvers<Reply> | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setTimeout(CALL_TIMEOUT, () => socket.destroy(new Error(`no reply within ${CALL_TIMEOUT} ms`)));
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#closed());
  }

  static async open(url: URL): Promise<Connection> {
    const socket = connect(loopbackAddress(url));
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Sends a whole request (ASCII) and waits for its reply. Rejects when the connection ends before it. */
  send(request: string): Promise<Reply> {
    if (this.#socket.destroyed) return Promise.reject(new Error('the connection is closed'));
    this.#waiting = Promise.withResolvers<Reply>();
    this.#socket.write(request, 'latin1');
    return this.#waiting.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    try {
      const reply = this.#parser.push(chunk);
      if (reply !== undefined) this.#waiting?.resolve(reply);
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }

  #closed(): void {
    const reply = this.#parser.end();
    if (reply === undefined) this.#waiting?.reject(new Error('the connection closed before the reply'));
    else this.#waiting?.resolve(reply);
  }
}
