/** The SDK's version 1 as a peer. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Address } from '../plan.ts';
import type { Connect } from './peer.ts';

function transportTo({ url, sse, command, args = [], env }: Address): Transport {
  if (command !== undefined)
    return new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' });
  const to = new URL(url!);
  return sse ? new SSEClientTransport(to) : new StreamableHTTPClientTransport(to);
}

export const connectV1: Connect = async (target, log) => {
  const client = new Client({ name: 'sdk-v1', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({
    action: 'accept' as const,
    content: { name: 'Ωmega' },
  }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
    log(JSON.stringify(params.data)),
  );
  await client.connect(transportTo(target));
  return {
    listTools: () => client.listTools(),
    callTool: ({ name, arguments: args }, options) =>
      client.callTool({ name: name!, arguments: { ...args } }, undefined, options),
    readResource: (uri) => client.readResource({ uri }),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (name, argument) => client.complete({ ref: { type: 'ref/prompt', name }, argument }),
    openLog: () => client.setLoggingLevel('debug'),
    close: () => client.close(),
  };
};
