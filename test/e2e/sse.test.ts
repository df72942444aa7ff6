/** The HTTP+SSE transport of 2024-11-05 on both sides: the SDK's own client and server-everything, with `legacySse` on. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERYTHING, freePort, post, rpc, startGateway, until, type TestGateway } from './kit.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const SCRIPT = JSON.stringify({
  capabilities: { tools: {}, resources: { subscribe: true } },
  answers: {
    'resources/list': { resources: [{ uri: 'doc://one', name: 'one' }] },
    'resources/subscribe': {},
  },
});
const digest = (key: string): string => createHash('sha256').update(key).digest('hex');

async function connect(gateway: TestGateway, capabilities = {}, headers: Record<string, string> = {}) {
  const client = new Client({ name: 'old-host', version: '1' }, { capabilities });
  const init = { requestInit: { headers } };
  await client.connect(new SSEClientTransport(new URL(gateway.url.replace('/mcp', '/sse')), init));
  return client;
}

/** A stream opened by hand: what it brings, as text, and where to post. */
async function openStream(gateway: TestGateway, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const base = gateway.url.replace('/mcp', '');
  const response = await fetch(`${base}/sse`, { signal: abort.signal, headers });
  let text = '';
  void (async () => {
    for await (const chunk of response.body!) text += Buffer.from(chunk).toString('utf8');
  })().catch(() => undefined);
  if (response.status === 200) await until(() => text.includes('\n\n'));
  const endpoint = base + (/^event: endpoint\ndata: (.*)\n\n/.exec(text)?.[1] ?? '/none');
  return { status: response.status, text: () => text, endpoint, end: () => abort.abort() };
}

const hello = (protocolVersion: string) =>
  rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'by-hand', version: '1' } });

describe('an old host in front, an old server behind', () => {
  let gateway: TestGateway;
  let web: ChildProcess;

  beforeAll(async () => {
    const port = await freePort();
    web = spawn(process.execPath, [EVERYTHING, 'sse'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    gateway = await startGateway({
      yaml: `
legacySse: true
upstreams:
  old: { transport: sse, url: "http://127.0.0.1:${port}/sse" }
  asking: { command: ${process.execPath}, args: [${fixture('asking.ts')}] }
  growing: { command: ${process.execPath}, args: [${fixture('growing.ts')}] }
  scripted: { command: ${process.execPath}, args: [${fixture('scripted.ts')}, '${SCRIPT}'] }
`,
    });
    const state = () => gateway.gateway.status().find(({ id }) => id === 'old')?.state;
    await until(() => state() === 'up', 30_000);
  }, 60_000);

  afterAll(async () => {
    await gateway.stop();
    web.kill();
  });

  it('lists and calls, with a record of each', async () => {
    const client = await connect(gateway);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('old__echo');
    const answer = await client.callTool({ name: 'old__echo', arguments: { message: 'hello' } });
    expect(answer).toMatchObject({ content: [{ text: 'Echo: hello' }] });
    await client.close();
    expect(await gateway.records()).toContainEqual(
      expect.objectContaining({ method: 'tools/call', outcome: 'ok' }),
    );
  });

  it('hears progress of its own call', async () => {
    const client = await connect(gateway);
    const { onmessage } = client.transport!;
    const steps: unknown[] = [];
    client.transport!.onmessage = (message) => {
      steps.push('method' in message ? message.params?.['progress'] : 'answer');
      onmessage?.(message);
    };
    const operation = { name: 'old__trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } };
    await client.callTool(operation, undefined, { onprogress: () => undefined });
    expect(steps).toEqual([1, 2, 'answer']);
    await client.close();
  });

  it('answers a question in the middle of its call', async () => {
    const client = await connect(gateway, { elicitation: {} });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { word: 'plum' } }));
    const answer = await client.callTool({ name: 'asking__confirm', arguments: { who: 'Ada' } });
    expect(answer).toMatchObject({ content: [{ text: 'Ada: accept plum' }] });
    await client.close();
  });

  it('hears of changed lists and of a resource that it subscribed to', async () => {
    const client = await connect(gateway);
    const told: string[] = [];
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.push('tools'));
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void told.push(params.uri),
    );
    const resource = (await client.listResources()).resources.find(({ name }) => name.endsWith('one'));
    await client.subscribeResource({ uri: resource!.uri });
    await client.callTool({ name: 'scripted__update', arguments: { uri: 'doc://one' } });
    await expect.poll(() => told).toContain(resource!.uri);
    await client.callTool({ name: 'growing__grow', arguments: { times: 1 } });
    await expect.poll(() => told).toContain('tools');
    await client.close();
  });

  it('cancels with a notification', async () => {
    const client = await connect(gateway);
    const abort = new AbortController();
    const call = client
      .callTool({ name: 'scripted__hang', arguments: { mark: 'given-up' } }, undefined, {
        signal: abort.signal,
      })
      .catch(String);
    await until(async () => (await seen(client)).includes('given-up'));
    abort.abort();
    expect(await call).toMatch(/abort/i);
    await until(async () => (await seen(client)).includes('notifications/cancelled'));
    await client.close();
  });

  const seen = async (client: Client): Promise<string> =>
    JSON.stringify(await client.callTool({ name: 'scripted__seen' }));

  it('negotiates the revision that has this transport', async () => {
    for (const version of ['2024-11-05', '2025-11-25']) {
      const stream = await openStream(gateway);
      expect(await post(stream.endpoint, hello(version))).toMatchObject({ status: 202, text: '' });
      await until(() => stream.text().includes('"id":1'));
      expect(stream.text()).toContain('"protocolVersion":"2024-11-05"');
      stream.end();
    }
  });

  it('is told on the stream what is wrong with a request, and by status what is wrong with a message', async () => {
    const stream = await openStream(gateway);
    expect((await post(stream.endpoint, rpc('tools/list', {}, 'early'))).status).toBe(202);
    await until(() => stream.text().includes('"early"'));
    expect(stream.text()).toContain('Send \\"initialize\\" first');
    expect(await post(stream.endpoint, '{')).toMatchObject({
      status: 400,
      json: { error: { code: -32700 } },
    });
    expect(await post(stream.endpoint, '[]')).toMatchObject({
      status: 400,
      json: { error: { code: -32600 } },
    });
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    expect(await post(stream.endpoint, rpc('tools/list', { _meta }))).toMatchObject({
      status: 400,
      json: { error: { code: -32022 } },
    });
    stream.end();
  });

  it('ends with its stream: its calls are cancelled and its session is unknown', async () => {
    const stream = await openStream(gateway);
    await post(stream.endpoint, hello('2024-11-05'));
    await until(() => stream.text().includes('"id":1'));
    await post(stream.endpoint, rpc('tools/call', { name: 'scripted__hang', _meta: { mark: 'left' } }, 2));
    const other = await connect(gateway);
    await until(async () => (await seen(other)).includes('left'));
    stream.end();
    await until(async () => (await post(stream.endpoint, rpc('ping'))).status === 404);
    const left = async () => (await gateway.records()).filter(({ method }) => method === 'tools/call');
    await expect.poll(left).toContainEqual(expect.objectContaining({ outcome: 'cancelled' }));
    await other.close();
  });
});

describe('who may', () => {
  let gateway: TestGateway;
  const asA = { 'x-api-key': 'key-of-a' };
  const asB = { 'x-api-key': 'key-of-b' };

  beforeAll(async () => {
    gateway = await startGateway({
      yaml: `
legacySse: true
limits: { streams: 2 }
auth: { apiKeys: [{ id: a, sha256: ${digest('key-of-a')} }, { id: b, sha256: ${digest('key-of-b')} }] }
upstreams: {}
`,
    });
  });
  afterAll(() => gateway.stop());

  it('only with a key, and only to the stream that was opened with it', async () => {
    expect((await openStream(gateway)).status).toBe(401);
    const stream = await openStream(gateway, asA);
    expect(stream.status).toBe(200);
    expect((await post(stream.endpoint, rpc('ping'))).status).toBe(401);
    const asOther = await post(stream.endpoint, rpc('ping'), asB);
    const toNone = await post(`${stream.endpoint}0`, rpc('ping'), asB);
    expect([asOther.status, toNone.status]).toEqual([404, 404]);
    expect(asOther.json.error.message).toBe(toNone.json.error.message);
    expect((await post(stream.endpoint, rpc('ping'), asA)).status).toBe(202);
    stream.end();
  });

  it('not from a web page of somebody else', async () => {
    const base = gateway.url.replace('/mcp', '');
    const headers = { ...asA, origin: 'https://evil.example' };
    expect((await fetch(`${base}/sse`, { headers })).status).toBe(403);
    expect((await post(`${base}/messages?sessionId=x`, rpc('ping'), headers)).status).toBe(403);
  });

  it('as many streams as limits.streams', async () => {
    const open = await openStream(gateway, asA);
    const second = await openStream(gateway, asA);
    expect((await openStream(gateway, asB)).status).toBe(503);
    open.end();
    second.end();
    await until(async () => {
      const third = await openStream(gateway, asB);
      third.end();
      return third.status === 200;
    });
  });

  it('with the method that the path has', async () => {
    const base = gateway.url.replace('/mcp', '');
    const posted = await fetch(`${base}/sse`, { method: 'POST', headers: asA });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, OPTIONS']);
    expect((await fetch(`${base}/messages`, { headers: asA })).status).toBe(405);
  });
});

it('is not there unless it is switched on', async () => {
  const gateway = await startGateway({ yaml: 'upstreams: {}\n' });
  const base = gateway.url.replace('/mcp', '');
  expect((await fetch(`${base}/sse`)).status).toBe(404);
  expect((await post(`${base}/messages?sessionId=x`, rpc('ping'))).status).toBe(404);
  await gateway.stop();
});
