/** The benchmark's MCP server: legacy Streamable HTTP with JSON answers, fixed strings and as little work as possible. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { announce } from './announce.ts';

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: { readonly text?: string; readonly ms?: number };
  };
}

const LEGACY_VERSIONS = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);
const LONGEST_SLEEP = 60_000;
const sessions = new Set<string>();

const tool = (name: string, description: string, properties: object) => ({
  name,
  description,
  inputSchema: { type: 'object', properties },
});
const TOOLS = JSON.stringify({
  tools: [
    tool('echo', 'Return the text', { text: { type: 'string' } }),
    tool('blob', 'Return 100 KiB of text', { text: { type: 'string' } }),
    tool('mega', 'Return 1 MiB of text', { text: { type: 'string' } }),
    tool('sleep', 'Wait, then return', { ms: { type: 'integer' } }),
  ],
});

const textResult = (json: string) => `{"content":[{"type":"text","text":${json}}]}`;
const BLOB = textResult(`"${'0123456789abcdef'.repeat(6_400)}"`);
const MEGA = textResult(`"${'0123456789abcdef'.repeat(65_536)}"`);

type Arguments = NonNullable<NonNullable<Message['params']>['arguments']>;
const CALLS: Readonly<Record<string, (given: Arguments) => string | Promise<string>>> = {
  echo: ({ text = '' }) => textResult(JSON.stringify(text)),
  blob: () => BLOB,
  mega: () => MEGA,
  sleep: async ({ ms = 0 }) => {
    await new Promise((done) => setTimeout(done, Math.min(ms, LONGEST_SLEEP)));
    return textResult('"slept"');
  },
};

function initialize({ params }: Message): string {
  const asked = params?.protocolVersion ?? '';
  const version = LEGACY_VERSIONS.has(asked) ? asked : '2025-11-25';
  return `{"protocolVersion":"${version}","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1.0.0"}}`;
}

const METHODS: Readonly<Record<string, (message: Message) => string | undefined | Promise<string>>> = {
  initialize,
  ping: () => '{}',
  'tools/list': () => TOOLS,
  'tools/call': ({ params }) => CALLS[params?.name ?? '']?.(params?.arguments ?? {}),
};

function reply(response: ServerResponse, status: number, body: string, session?: string): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, session === undefined ? headers : { ...headers, 'mcp-session-id': session });
  response.end(body);
}

const failure = (id: unknown, code: number, message: string) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"error":{"code":${code},"message":"${message}"}}`;

/** A legacy server meets a method it does not know, `server/discover` among them, with an error that makes clients fall back. */
async function answer(message: Message, session: string | undefined, response: ServerResponse) {
  const method = METHODS[message.method];
  if (message.id !== undefined && method === undefined) {
    return reply(response, 400, failure(message.id, -32601, 'Method not found'));
  }
  const opened = message.method === 'initialize' ? randomUUID() : undefined;
  if (opened !== undefined) sessions.add(opened);
  else if (!sessions.has(session ?? '')) {
    return reply(response, 404, failure(message.id, -32600, 'Unknown session'));
  }
  if (message.id === undefined) return response.writeHead(202, { 'content-length': 0 }).end();
  const result = await method?.(message);
  if (result === undefined) return reply(response, 200, failure(message.id, -32602, 'Unknown tool'));
  return reply(
    response,
    200,
    `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`,
    opened,
  );
}

function sessionOf(request: IncomingMessage): string | undefined {
  const value = request.headers['mcp-session-id'];
  return typeof value === 'string' ? value : undefined;
}

const server = createServer((request, response) => {
  if (request.method === 'DELETE') sessions.delete(sessionOf(request) ?? '');
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'DELETE' ? 204 : 405).end();
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    try {
      void answer(JSON.parse(body) as Message, sessionOf(request), response);
    } catch {
      reply(response, 400, failure(null, -32700, 'Not JSON'));
    }
  });
});
server.keepAliveTimeout = 60_000;
announce(server);
