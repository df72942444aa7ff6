// The smallest MCP server over stdio: one tool that says its argument back. Plain JavaScript without packages, so that it
// runs wherever the package was installed.
import { createInterface } from 'node:readline';

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'say', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }],
  }),
  'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = ANSWERS[method]?.(params);
  if (id !== undefined && result !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
