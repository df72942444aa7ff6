/** The yardstick: the least a Node gateway can do. Parse the message, take the prefix off the tool's name, forward, copy the reply. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';
import { announce } from './announce.ts';

const PREFIX = 'bench__';
const COPIED_UP = ['mcp-session-id', 'mcp-protocol-version'];
const COPIED_DOWN = ['content-type', 'mcp-session-id'];

const [origin] = process.argv.slice(2);
if (origin === undefined) throw new Error('usage: node bench/relay.ts http://127.0.0.1:PORT');
const pool = new Pool(origin, { connections: 32, pipelining: 1 });

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function pick(from: Headers, names: readonly string[]): Record<string, string | string[]> {
  const picked: Record<string, string | string[]> = {};
  for (const name of names) {
    const value = from[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

function renamed(body: string): string {
  const message = JSON.parse(body) as { params?: { name?: string } };
  const { params } = message;
  if (params?.name?.startsWith(PREFIX)) params.name = params.name.slice(PREFIX.length);
  return JSON.stringify(message);
}

async function forward(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
  const method = request.method === 'DELETE' ? 'DELETE' : 'POST';
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...pick(request.headers, COPIED_UP),
  };
  const sent = { path: '/mcp', method, headers, body: method === 'POST' ? renamed(body) : null } as const;
  const reply = await pool.request(sent);
  const content = Buffer.from(await reply.body.arrayBuffer());
  const copied = pick(reply.headers, COPIED_DOWN);
  response.writeHead(reply.statusCode, { ...copied, 'content-length': content.length }).end(content);
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    forward(request, body, response).catch((error: unknown) => response.writeHead(502).end(String(error)));
  });
});
server.keepAliveTimeout = 60_000;
announce(server);
