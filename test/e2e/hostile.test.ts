/** Servers and clients that mean harm, in the terms of MCP (not of HTTP or JSON): they get an error, and harm only themselves. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modernServer } from '../upstream/http-server.ts';
import {
  legacyClient,
  modern,
  openSession,
  post,
  rpc,
  startGateway,
  until,
  type TestGateway,
} from './kit.ts';
import { scripted } from './scripted.ts';

let gateway: TestGateway;
let client: Client;
let session: Record<string, string>;
let bait: Server;
let bitten = 0;

beforeAll(async () => {
  bait = createServer((_request, response) => void (bitten++, response.end('{}')));
  await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(bait.address() as AddressInfo).port}/schema.json`;
  const remote = { type: 'object', properties: { a: { $ref: url } }, $ref: 'file:///etc/passwd' };
  const good = { name: 'good', inputSchema: { type: 'object' } };
  const broken = [
    { name: 'no-schema' },
    { name: 'null-schema', inputSchema: null, description: null },
    { name: 'odd', inputSchema: { type: 'object' }, title: 5, icons: 'x', annotations: [] },
    good,
    { ...good, description: 'the second of the name' },
    null,
    { name: ['list'] },
  ];
  gateway = await startGateway({
    yaml: `upstreams:
${scripted('good', { tools: { echo: { content: [] } } })}${scripted('broken', {
      answers: { 'tools/list': [{ tools: broken }] },
    })}${scripted('remote', {
      answers: { 'tools/list': [{ tools: [{ name: 'far', inputSchema: remote }] }] },
      tools: { far: { content: [] } },
    })}`,
  });
  client = await legacyClient(gateway.url);
  session = await openSession(gateway.url);
}, 60_000);

afterAll(async () => {
  await client.close();
  await gateway.stop();
  bait.close();
});

const call = async (name: string, own = session): Promise<any> =>
  (await post(gateway.url, rpc('tools/call', { name, arguments: {} }), own)).json;

describe('C2: a target that is not there', () => {
  const names = [
    'good__none',
    'none__echo',
    'good__good__echo',
    'good__',
    'echo',
    'constructor',
    '__proto__',
  ];

  it.each(names)('%s is refused in the words for all of them', async (name) => {
    expect((await call(name)).error).toMatchObject({
      code: -32602,
      message: `Unknown tool: ${JSON.stringify(name)}`,
    });
  });

  it('is refused when its name is 10 KB, without repeating it', async () => {
    const { error } = await call('n'.repeat(10_240));
    expect(error.code).toBe(-32602);
    expect(error.message.length).toBeLessThan(300);
  });

  it.each([
    ['prompts/get', { name: 'good__none' }],
    ['resources/read', { uri: `none+x:${'{a*}'.repeat(25_000)}` }],
  ])('is refused by %s as well, in no time', async (method, params) => {
    const started = performance.now();
    const { json } = await post(gateway.url, rpc(method, params), session);
    expect([-32601, -32602]).toContain(json.error.code);
    expect(performance.now() - started).toBeLessThan(500);
  });
});

it('C3: a schema that refers to other places is passed on, and nothing is fetched', async () => {
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'remote__far')?.inputSchema).toHaveProperty('$ref');
  expect((await call('remote__far')).result).toEqual({ content: [] });
  expect(bitten).toBe(0);
});

it('C4: malformed definitions of one server spoil the list of no other', async () => {
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('good__echo');
  expect(names.filter((name) => name.startsWith('broken__'))).toEqual([
    'broken__no-schema',
    'broken__null-schema',
    'broken__odd',
    'broken__good',
  ]);
});

it('C7: a flood of notices is the end of nothing: the lists are read a few times, and nobody hears of it', async () => {
  const bystander = await legacyClient(gateway.url);
  let changes = 0;
  bystander.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
  let progress = 0;
  const calls = await Promise.all([
    client.callTool({ name: 'good__flood' }, undefined, { onprogress: () => void progress++ }),
    bystander.callTool({ name: 'good__echo' }, undefined, { onprogress: () => void progress++ }),
  ]);
  expect(calls[0].content).toEqual([{ type: 'text', text: 'flooded' }]);
  const rereads = async (): Promise<number> => {
    const { content } = CallToolResultSchema.parse(await client.callTool({ name: 'good__seen' }));
    return (content[0] as { text: string }).text.split('"tools/list"').length - 1;
  };
  await until(async () => (await rereads()) >= 2);
  expect(await rereads()).toBeLessThan(10);
  expect(changes).toBe(0);
  // Among the tokens that the server invents, twice, are those of its two running calls.
  expect(progress).toBeLessThanOrEqual(4);
  await bystander.close();
});

it('C10: what a server marks as public is private here', async () => {
  const server = await modernServer({
    'tools/list': ({ result }) =>
      result({ resultType: 'complete', tools: [], ttlMs: 60_000, cacheScope: 'public' }),
  });
  const hop = await startGateway({ yaml: `upstreams:\n  web: { url: "${server.url}" }\n` });
  const { json } = await post(hop.url, ...modern('tools/list'));
  expect(json.result).toMatchObject({ cacheScope: 'private', ttlMs: 0 });
  await hop.stop();
});

it.each(['1', 'x'.repeat(4_000)])('C11: Last-Event-ID brings no event of another', async (id) => {
  const own = await openSession(gateway.url);
  const stream = await fetch(gateway.url, {
    headers: { ...own, accept: 'text/event-stream', 'last-event-id': id },
  });
  expect(stream.status).toBe(200);
  await fetch(gateway.url, { method: 'DELETE', headers: own });
  expect(await stream.text()).not.toContain('data:');
});
