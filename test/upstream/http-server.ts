/** An MCP server over Streamable HTTP inside the test: the legacy era by default, every request recorded, any answer replaceable. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: any;
}

/** One HTTP request with the means to answer it. */
export interface Exchange {
  readonly verb: string;
  readonly headers: IncomingMessage['headers'];
  readonly message: Message;
  readonly response: ServerResponse;
  /** A JSON-RPC result under the id of the request. */
  result(result: object): void;
  error(error: object, status?: number, id?: unknown): void;
  send(status: number, body?: string, headers?: Record<string, string>): void;
  /** Opens a stream of events; `end` is left to the test. */
  stream(headers?: Record<string, string>): {
    event(message: object): void;
    raw(bytes: Buffer | string): void;
    end(): void;
  };
}

/** Answers a request; undefined leaves it to the next. */
export type Handler = (exchange: Exchange) => unknown;

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  readonly requests: Exchange[];
  /** How often a JSON-RPC method was asked for. */
  count(method: string): number;
  /** The requests of a method. */
  of(method: string): Exchange[];
  stop(): Promise<void>;
}

export const TOOLS = [{ name: 'echo' }, { name: 'other' }];

/** By method; a GET or DELETE has the HTTP verb for a name. */
export type Handlers = Readonly<Record<string, Handler>>;

/** A server of the legacy era that gives out sessions `s1`, `s2`, …; tools/call echoes its arguments. */
export function legacyServer(changes: Handlers = {}, port = 0): Promise<HttpServer> {
  let sessions = 0;
  return serveHttp(
    {
      initialize: (exchange) => {
        exchange.response.setHeader('mcp-session-id', `s${++sessions}`);
        exchange.result({
          protocolVersion: '2025-06-18',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'legacy', version: '1' },
        });
      },
      ...COMMON,
      ...changes,
    },
    port,
  );
}

export function modernServer(changes: Handlers = {}): Promise<HttpServer> {
  return serveHttp({
    'server/discover': (exchange) =>
      exchange.result({ supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } }),
    'subscriptions/listen': (exchange) =>
      exchange.stream().event({ method: 'notifications/subscriptions/acknowledged' }),
    ...COMMON,
    ...changes,
  });
}

const COMMON: Handlers = {
  GET: (exchange) => exchange.send(405),
  DELETE: (exchange) => exchange.send(200),
  'tools/list': (exchange) => exchange.result({ tools: TOOLS }),
  'tools/call': (exchange) => exchange.result(text(exchange.message.params.arguments)),
};

/** The result of a tool with a value as JSON in it. */
export const text = (value: unknown): object => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
});

async function serveHttp(handlers: Handlers, port = 0): Promise<HttpServer> {
  const requests: Exchange[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const exchange = exchangeOf(request, response, Buffer.concat(chunks).toString());
      requests.push(exchange);
      answer(handlers, exchange);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = (): Promise<void> => stopServer(server);
  onTestFinished(stop);
  const of = (method: string): Exchange[] => requests.filter(({ message }) => message.method === method);
  const taken = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${taken}/mcp?x=1`,
    port: taken,
    requests,
    of,
    count: (method) => of(method).length,
    stop,
  };
}

function answer(handlers: Handlers, exchange: Exchange): void {
  const { verb, message } = exchange;
  const handler = handlers[verb === 'POST' ? (message.method ?? 'response') : verb];
  if (handler) handler(exchange);
  else if (message.id === undefined) exchange.send(202);
  else exchange.error({ code: -32601, message: 'Method not found' }, 404);
}

function exchangeOf(request: IncomingMessage, response: ServerResponse, body: string): Exchange {
  const message = (body === '' ? {} : JSON.parse(body)) as Message;
  const json = { 'content-type': 'application/json' };
  const send: Exchange['send'] = (status, content = '', headers = json) =>
    void response.writeHead(status, headers).end(content);
  const rpc = (outcome: object, id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
  return {
    verb: request.method ?? '',
    headers: request.headers,
    message,
    response,
    send,
    result: (result) => send(200, rpc({ result }, message.id)),
    error: (error, status = 200, id = message.id) => send(status, rpc({ error }, id)),
    stream(headers = {}) {
      response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders();
      return {
        event: (event) => void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...event })}\n\n`),
        raw: (bytes) => void response.write(bytes),
        end: () => void response.end(),
      };
    },
  };
}

function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
