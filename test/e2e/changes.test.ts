/** list_changed both ways: from an upstream, through the catalog, to clients of both eras. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { legacyClient, modernClient, startGateway, until, type TestGateway } from './kit.ts';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const GROWING = fileURLToPath(new URL('../fixtures/growing.ts', import.meta.url));

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    yaml: `upstreams:\n  growing: { command: ${process.execPath}, args: [${join(GROWING)}] }\n`,
  });
});
afterAll(() => gateway.stop());

it('tells a session with an open stream, and lists the new tool', async () => {
  const client = await legacyClient(gateway.url);
  let told = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++);
  await until(async () =>
    (await fetch(`${gateway.adminUrl}/metrics`).then((answer) => answer.text())).includes(
      'gatehouse_streams 1',
    ),
  );
  const before = (await client.listTools()).tools.length;
  await client.callTool({ name: 'growing__grow', arguments: { times: 50 } });
  await until(() => told > 0);
  await until(async () => (await client.listTools()).tools.length === before + 50);
  expect(told).toBeLessThanOrEqual(2);
  await client.close();
});

it('tells a modern subscription', async () => {
  const client = await modernClient(gateway.url);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const abort = new AbortController();
  const response = await fetch(gateway.url, {
    method: 'POST',
    signal: abort.signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'sub-1',
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: meta },
    }),
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body!) text += Buffer.from(chunk).toString('utf8');
  })().catch(() => undefined);
  await until(() => text.includes('notifications/subscriptions/acknowledged'));
  await client.callTool({ name: 'growing__grow', arguments: { times: 1 } });
  await until(() => text.includes('notifications/tools/list_changed'));
  expect(text.match(/"io.modelcontextprotocol\/subscriptionId":"sub-1"/g)!.length).toBeGreaterThanOrEqual(2);
  abort.abort();
  await reading;
  await client.close();
});

it('relays progress on the stream of the call, with the token of the caller', async () => {
  const client = await legacyClient(gateway.url);
  const seen: number[] = [];
  await client.callTool({ name: 'growing__progress', arguments: {} }, undefined, {
    onprogress: ({ progress }) => void seen.push(progress),
  });
  expect(seen).toEqual([1, 2, 3]);
  await client.close();
});
