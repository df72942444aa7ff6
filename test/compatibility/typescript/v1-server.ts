/** The common tools, resource and prompt on the SDK's version 1: `v1-server.ts stdio | http`, with PORT. */
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { completed, count, greet, greeting, QUESTION, text, URI, wait } from './world.ts';

const capabilities = { logging: {} };
const FORM = { type: 'object' as const, properties: { name: { type: 'string' as const } } };

function createServer(): McpServer {
  const server = new McpServer({ name: 'sdk-v1', version: '1' }, { capabilities });
  server.registerTool('echo', { inputSchema: { message: z.string() } }, ({ message }) =>
    text(`Echo: ${message}`),
  );
  server.registerTool(
    'count',
    { inputSchema: { steps: z.number() } },
    async ({ steps }, { _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken;
      await count(steps, async (progress) => {
        const params = { progressToken: progressToken!, progress, total: steps };
        if (progressToken !== undefined) await sendNotification({ method: 'notifications/progress', params });
      });
      return text(`Counted to ${steps}`);
    },
  );
  server.registerTool(
    'log',
    { inputSchema: { message: z.string() } },
    async ({ message }, { sendNotification }) => {
      await sendNotification({
        method: 'notifications/message',
        params: { level: 'warning', data: message },
      });
      return text('Logged');
    },
  );
  server.registerTool('ask', {}, async ({ requestId }) => {
    const params = { message: QUESTION, requestedSchema: FORM };
    const { content } = await server.server.elicitInput(params, { relatedRequestId: requestId });
    return text(`Name: ${String(content?.['name'])}`);
  });
  server.registerTool('wait', { inputSchema: { file: z.string() } }, async ({ file }, { signal }) => {
    await wait(file, signal);
    return text('Waited');
  });
  server.registerResource('greeting', URI, {}, greeting);
  server.registerPrompt('greet', { argsSchema: { name: completable(z.string(), completed) } }, ({ name }) =>
    greet(name),
  );
  return server;
}

function serveHttp(): void {
  const open = new Map<string, StreamableHTTPServerTransport>();
  const http = createHttpServer((request, response) => {
    void (async () => {
      const transport =
        open.get(String(request.headers['mcp-session-id'])) ??
        new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (id) => void open.set(id, transport),
        });
      if (transport.sessionId === undefined) await createServer().connect(transport);
      await transport.handleRequest(request, response);
    })();
  });
  http.listen(Number(process.env['PORT']), '127.0.0.1');
}

if (process.argv[2] === 'http') serveHttp();
else await createServer().connect(new StdioServerTransport());
