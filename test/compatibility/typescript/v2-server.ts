/** The common tools, resource and prompt on the SDK's version 2: `v2-server.ts stdio | http legacy | modern`, with PORT. */
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { serve } from '@hono/node-server';
import { z } from 'zod';
import { createSessions } from '../../conformance/fixture/sessions.ts';
import { completed, count, greet, greeting, QUESTION, text, URI, wait } from './world.ts';

const [, , transport, era] = process.argv;

function createServer(): McpServer {
  const server = new McpServer({ name: 'sdk-v2', version: '1' }, { capabilities: { logging: {} } });
  const message = { inputSchema: z.object({ message: z.string() }) };
  server.registerTool('echo', message, ({ message }) => text(`Echo: ${message}`));
  server.registerTool(
    'count',
    { inputSchema: z.object({ steps: z.number() }) },
    async ({ steps }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      await count(steps, async (progress) => {
        const params = { progressToken: progressToken!, progress, total: steps };
        if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
      });
      return text(`Counted to ${steps}`);
    },
  );
  server.registerTool('log', message, async ({ message }, { mcpReq }) => {
    await mcpReq.log('warning', message);
    return text('Logged');
  });
  // Written once, as a result that asks; for a client of the legacy era the SDK turns it into a request of the server.
  server.registerTool('ask', {}, ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'name');
    if (answer) return text(`Name: ${String(answer['name'])}`);
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
    return inputRequired({
      inputRequests: { name: inputRequired.elicit({ message: QUESTION, requestedSchema }) },
    });
  });
  const file = { inputSchema: z.object({ file: z.string() }) };
  server.registerTool('wait', file, async ({ file }, { mcpReq }) => {
    await wait(file, mcpReq.signal);
    return text('Waited');
  });
  server.registerResource('greeting', URI, {}, greeting);
  const argsSchema = z.object({ name: completable(z.string(), completed) });
  server.registerPrompt('greet', { argsSchema }, ({ name }) => greet(name));
  return server;
}

function serveHttp(): void {
  const modern = createMcpHandler(createServer, { legacy: 'reject' });
  const legacy = createSessions(createServer);
  const handle = async (request: Request): Promise<Response> =>
    era === 'modern'
      ? modern.fetch(request)
      : legacy(request, request.method === 'POST' ? await request.clone().json() : undefined);
  serve({ fetch: handle, hostname: '127.0.0.1', port: Number(process.env['PORT']) });
}

if (transport === 'http') serveHttp();
else if (era === 'modern') serveStdio(createServer, { legacy: 'reject' });
else await createServer().connect(new StdioServerTransport());
