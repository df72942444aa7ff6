/** The SDK's version 2 as a peer, in either era. */
import {
  Client,
  LOG_LEVEL_META_KEY,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Era } from '../../../src/model.ts';
import type { Address } from '../plan.ts';
import type { Connect } from './peer.ts';

function transportTo({ url, sse, command, args = [], env }: Address): Transport {
  if (command !== undefined)
    return new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' });
  const to = new URL(url!);
  return sse ? new SSEClientTransport(to) : new StreamableHTTPClientTransport(to);
}

const MODES = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;

export const connectV2 =
  (era: Era): Connect =>
  async (target, log) => {
    const client = new Client(
      { name: 'sdk-v2', version: '1' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: MODES[era] } },
    );
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept' as const,
      content: { name: 'Ωmega' },
    }));
    client.setNotificationHandler('notifications/message', ({ params }) => log(JSON.stringify(params.data)));
    await client.connect(transportTo(target));
    const _meta = era === 'modern' ? { [LOG_LEVEL_META_KEY]: 'debug' as const } : {};
    return {
      listTools: () => client.listTools(),
      callTool: ({ name, arguments: args }, options) =>
        client.callTool({ name: name!, arguments: { ...args }, _meta }, options),
      readResource: (uri) => client.readResource({ uri }),
      getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
      complete: (name, argument) => client.complete({ ref: { type: 'ref/prompt', name }, argument }),
      openLog: () => (era === 'legacy' ? client.setLoggingLevel('debug') : Promise.resolve()),
      close: () => client.close(),
    };
  };
