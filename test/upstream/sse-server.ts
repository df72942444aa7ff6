/** An MCP server over HTTP+SSE inside the test: the SDK's transport on node:http, with what an operator's proxy or a hostile server changes. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { text } from './http-server.ts';

export interface SseServer {
  /** Of the stream. */
  readonly url: string;
  readonly origin: string;
  /** Verb, path and headers of each request. */
  readonly requests: {
    readonly verb: string;
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
  }[];
  /** Streams opened so far. */
  readonly opened: () => number;
  /** The JSON-RPC methods that arrived. */
  readonly methods: string[];
  /** Resolves when the next call of that tool has begun, with the signal that its cancellation aborts. */
  called(tool: string): Promise<{ readonly signal: AbortSignal }>;
  /** Ends the streams, as a proxy does with idle ones. */
  endStreams(): void;
  /** Forgets the sessions but leaves their streams open. */
  forget(): void;
}

interface SseHabits {
  /** Where the stream is. */
  readonly path?: string;
  /** What the event `endpoint` says, with `?sessionId=…` added by the SDK. */
  readonly endpoint?: (origin: string) => string;
  /** Where posts arrive. */
  readonly messages?: string;
}

/** `echo` answers with its arguments, `silent` never. */
export async function sseServer({
  path = '/sse',
  endpoint = () => '/messages',
  messages = '/messages',
}: SseHabits = {}): Promise<SseServer> {
  const live = new Map<
    string,
    { readonly transport: SSEServerTransport; readonly response: ServerResponse }
  >();
  const requests: SseServer['requests'] = [];
  const methods: string[] = [];
  const begun = new EventEmitter();
  let opened = 0;

  async function open(response: ServerResponse): Promise<void> {
    opened++;
    const transport = new SSEServerTransport('/replaced', response);
    const write = response.write.bind(response) as (chunk: string) => boolean;
    response.write = ((chunk: string) =>
      write(
        chunk.startsWith('event: endpoint')
          ? `event: endpoint\ndata: ${endpoint(origin)}?sessionId=${transport.sessionId}\n\n`
          : chunk,
      )) as typeof response.write;
    live.set(transport.sessionId, { transport, response });
    const mcp = mcpServer(begun);
    await mcp.connect(transport);
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      if ('method' in message) methods.push(message.method);
      onmessage?.(message, extra);
    };
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    requests.push({ verb: request.method ?? '', path: request.url ?? '', headers: request.headers });
    if (request.method === 'GET' && pathname === path) return void open(response);
    const session = live.get(searchParams.get('sessionId') ?? '');
    if (request.method === 'POST' && pathname === messages && session)
      return void session.transport.handlePostMessage(request, response);
    response.writeHead(404).end('no such session');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: origin + path,
    origin,
    requests,
    methods,
    called: async (tool) => ({ signal: (await once(begun, tool))[0] as AbortSignal }),
    opened: () => opened,
    endStreams: () => live.forEach(({ response }) => response.end()),
    forget: () => live.clear(),
  };
}

function mcpServer(begun: EventEmitter): Server {
  const server = new Server(
    { name: 'old', version: '1' },
    { capabilities: { tools: { listChanged: true } } },
  );
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [tool('echo'), tool('silent')] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    begun.emit(params.name, signal);
    return params.name === 'silent' ? new Promise(() => undefined) : text(params.arguments);
  });
  return server;
}
