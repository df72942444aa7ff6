/** Subscriptions to resources: clients and servers of both eras, one subscription upstream for all who ask, nobody else told. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
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

const POLICY = `package gateway

default allow := false

allow if not endswith(input.target.name, "/secret")
`;
const SUBSCRIBING = { tools: {}, resources: { subscribe: true } };
const ANSWERS = { 'resources/subscribe': {}, 'resources/unsubscribe': {} };
const texts = { 'demo://doc/1': 'a', 'demo://doc/2': 'b', 'demo://doc/secret': 'c' };

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({
    files: { 'policies/gateway.rego': POLICY },
    yaml: `upstreams:\n${[
      scripted('plain', { capabilities: { tools: {}, resources: {} }, texts: { 'plain://1': 'x' } }),
      scripted('first', { capabilities: SUBSCRIBING, answers: ANSWERS, texts }),
      scripted('second', { capabilities: SUBSCRIBING, answers: ANSWERS, texts }),
      scripted('mortal', { capabilities: SUBSCRIBING, answers: ANSWERS, texts: { 'mortal://1': 'm' } }),
      scripted('refusing', { capabilities: SUBSCRIBING, texts: { 'refused://1': 'r' } }),
    ].join('')}`,
  });
}, 60_000);
afterAll(() => gateway.stop());

/** A client whose stream is open, with the URIs it was told of. */
async function listener(url = gateway.url): Promise<{ client: Client; told: string[] }> {
  const streams = async (): Promise<number> => {
    const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    return Number(/^gatehouse_streams (\d+)/m.exec(text)?.[1] ?? 0);
  };
  const before = await streams();
  const client = await legacyClient(url);
  const told: string[] = [];
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void told.push(params.uri),
  );
  if (url === gateway.url) await until(async () => (await streams()) > before);
  return { client, told };
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
  return content[0]?.type === 'text' ? content[0].text : '';
}

/** The URIs with which a server was asked for a method, in order. */
async function asked(client: Client, upstream: string, method: string): Promise<string[]> {
  const seen = JSON.parse(await call(client, `${upstream}__seen`)) as { method: string; params: any }[];
  return seen.filter((message) => message.method === method).map(({ params }) => params.uri as string);
}

const close = (client: Client): Promise<void> =>
  (client.transport as unknown as { terminateSession(): Promise<void> })
    .terminateSession()
    .then(() => client.close());

describe('sessions', () => {
  it('share one subscription; each hears under its own URI, and nobody else does', async () => {
    const [one, two, bystander] = [await listener(), await listener(), await listener()];
    expect(one.client.getServerCapabilities()?.resources).toEqual({ listChanged: true, subscribe: true });
    await one.client.subscribeResource({ uri: 'second+demo://doc/1' });
    await two.client.subscribeResource({ uri: 'second+demo://doc/1' });
    await bystander.client.subscribeResource({ uri: 'first+demo://doc/1' });
    expect(await asked(one.client, 'second', 'resources/subscribe')).toEqual(['demo://doc/1']);
    await call(bystander.client, 'second__update', { uri: 'demo://doc/1' });
    await until(() => one.told.length === 1 && two.told.length === 1);
    await one.client.unsubscribeResource({ uri: 'second+demo://doc/1' });
    await call(bystander.client, 'second__update', { uri: 'demo://doc/2' });
    await call(bystander.client, 'second__update', { uri: 'demo://doc/1' });
    await until(() => two.told.length === 2);
    expect(await asked(two.client, 'second', 'resources/unsubscribe')).toEqual([]);
    await close(two.client);
    await until(
      async () => (await asked(bystander.client, 'second', 'resources/unsubscribe'))[0] === 'demo://doc/1',
    );
    expect([...one.told, ...two.told]).toEqual(Array(3).fill('second+demo://doc/1'));
    expect(bystander.told).toEqual([]);
    await close(one.client);
    await close(bystander.client);
  });

  it('are subscribed again when the server was restarted, and told that something may have changed', async () => {
    const { client, told } = await listener();
    await client.subscribeResource({ uri: 'mortal://1' });
    await call(client, 'mortal__die').catch(() => undefined);
    await until(() => told.length === 1);
    await until(async () =>
      (await asked(client, 'mortal', 'resources/subscribe').catch((): string[] => [])).includes('mortal://1'),
    );
    await call(client, 'mortal__update', { uri: 'mortal://1' });
    await until(() => told.length === 2);
    expect(told).toEqual(['mortal://1', 'mortal://1']);
    await close(client);
  });

  it.each([
    ['demo://doc/secret', -32602, /Unknown resource/],
    ['nobody://1', -32602, /Unknown resource/],
    ['plain://1', -32601, /does not tell/],
    ['refused://1', -32601, /scripted: no resources\/subscribe/],
  ])('are refused %s with %i', async (uri, code, message) => {
    const session = await openSession(gateway.url);
    const { json } = await post(gateway.url, rpc('resources/subscribe', { uri }), session);
    expect(json.error.code).toBe(code);
    expect(json.error.message).toMatch(message);
  });
});

/** Reads the events of a stream, one by one. */
async function* events(response: Response): AsyncGenerator<any> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop()!;
    for (const part of parts)
      if (part.includes('data: ')) yield JSON.parse(part.slice(part.indexOf('data: ') + 6));
  }
}

it('a modern stream acknowledges what it honours, brings it, and ends it', async () => {
  const uris = ['first+demo://doc/2', 'first+demo://doc/secret', 'nobody://1', 'plain://1'];
  const [body, headers] = modern(
    'subscriptions/listen',
    { notifications: { toolsListChanged: true, resourceSubscriptions: uris } },
    'my-stream',
  );
  const abort = new AbortController();
  const response = await fetch(gateway.url, {
    method: 'POST',
    body,
    headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    signal: abort.signal,
  });
  const stream = events(response);
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 'my-stream' };
  expect((await stream.next()).value).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { toolsListChanged: true, resourceSubscriptions: [uris[0]] }, _meta },
  });
  const client = await legacyClient(gateway.url);
  await call(client, 'first__update', { uri: 'demo://doc/2' });
  expect((await stream.next()).value).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: uris[0], _meta },
  });
  abort.abort();
  await until(async () => (await asked(client, 'first', 'resources/unsubscribe')).at(-1) === 'demo://doc/2');
  await client.close();
});

it('a modern server gets one stream with all that is followed, opened again when that changes', async () => {
  const open: { uris: string[]; update: (uri: string) => void }[] = [];
  const server = await modernServer({
    'server/discover': ({ result }) =>
      result({ supportedVersions: ['2026-07-28'], capabilities: { resources: { subscribe: true } } }),
    'resources/list': ({ result }) =>
      result({ resources: ['new://1', 'new://2'].map((uri) => ({ uri, name: uri })) }),
    'resources/templates/list': ({ result }) => result({ resourceTemplates: [] }),
    'subscriptions/listen'({ message, stream }) {
      const { event } = stream();
      const { notifications } = message.params;
      event({ method: 'notifications/subscriptions/acknowledged', params: { notifications } });
      const update = (uri: string): void =>
        event({ method: 'notifications/resources/updated', params: { uri } });
      open.push({ uris: notifications.resourceSubscriptions, update });
    },
  });
  const hop = await startGateway({ yaml: `upstreams:\n  web: { url: "${server.url}" }\n` });
  const { client, told } = await listener(hop.url);
  await until(async () =>
    (await (await fetch(`${hop.adminUrl}/metrics`)).text()).includes('gatehouse_streams 1'),
  );
  await client.subscribeResource({ uri: 'new://1' });
  await client.subscribeResource({ uri: 'new://2' });
  expect(open.at(-1)?.uris).toEqual(['new://1', 'new://2']);
  open.at(-1)?.update('new://2');
  await until(() => told.length > 0);
  await client.unsubscribeResource({ uri: 'new://1' });
  await until(() => open.at(-1)?.uris.length === 1);
  expect(open.at(-1)?.uris).toEqual(['new://2']);
  expect(told).toEqual(['new://2']);
  await client.close();
  await hop.stop();
});
