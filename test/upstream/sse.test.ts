/** The HTTP+SSE transport towards servers of the first revision: the SDK's own server transport on real sockets. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endpointOf } from '../../src/upstream/sse.ts';
import { httpConfig, start } from './kit.ts';
import { sseServer, type SseServer } from './sse-server.ts';

const configOf = (url: string, changes = {}) =>
  ({ ...httpConfig(url, changes), transport: 'sse' }) as ReturnType<typeof httpConfig>;

async function up(server: SseServer, changes = {}) {
  const upstream = start(configOf(server.url, changes));
  await upstream.settled;
  expect(upstream.status()).toMatchObject({ state: 'up', server: { era: 'legacy' } });
  return upstream;
}

const fails = (code: string, message: RegExp) =>
  expect.objectContaining({ name: 'GatewayError', code, message: expect.stringMatching(message) });

/** A server that answers each GET with this, and never a POST. */
async function answeringGet(status: number, headers: Record<string, string>, body: string): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`;
}

describe('a server of the first revision', () => {
  it('is called: one stream brings the answers to all, each to its own request', async () => {
    const server = await sseServer();
    const upstream = await up(server);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => upstream.call('echo', { n })));
    expect(answers).toEqual(Array.from({ length: 20 }, (_, n) => ({ n })));
    expect(server.opened()).toBe(1);
  });

  it('gets the credential on the stream and on every message, and no probe of another era', async () => {
    const server = await sseServer();
    const credentials = { type: 'header', name: 'X-Key', value: 'for-the-server' } as const;
    await (await up(server, { credentials })).call('echo');
    expect(server.requests.length).toBeGreaterThan(3);
    for (const { headers } of server.requests) expect(headers).toMatchObject({ 'x-key': 'for-the-server' });
    expect(server.methods.slice(0, 2)).toEqual(['initialize', 'notifications/initialized']);
  });

  it('that dies in the middle of a call leaves its outcome unknown', async () => {
    const server = await sseServer();
    const upstream = await up(server);
    const call = upstream.call('silent').catch((error: unknown) => error);
    await server.called('silent');
    server.endStreams();
    expect(await call).toEqual(fails('outcome_unknown', /the server ended the stream/));
  });

  it('that has forgotten the session is greeted again, and the call is made', async () => {
    const server = await sseServer();
    const upstream = await up(server);
    server.forget();
    expect(await upstream.call('echo', { again: true })).toEqual({ again: true });
    expect(server.opened()).toBe(2);
  });

  it('is told of a cancellation with its own id', async () => {
    const server = await sseServer();
    const upstream = await up(server);
    const abort = new AbortController();
    const call = upstream.call('silent', {}, { signal: abort.signal }).catch((error: unknown) => error);
    const { signal } = await server.called('silent');
    abort.abort(new Error('enough'));
    expect(await call).toEqual(new Error('enough'));
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  });
});

it('D20: a stream that the server closes while idle is opened again, and the next call works', async () => {
  const server = await sseServer();
  const upstream = await up(server);
  server.endStreams();
  await upstream.reached(() => upstream.status().state === 'down');
  expect(upstream.status().reason).toBe('the server ended the stream');
  await upstream.reached(() => upstream.status().state === 'up');
  expect(server.opened()).toBe(2);
  expect(await upstream.call('echo', { later: true })).toEqual({ later: true });
});

describe('D21: the event "endpoint" is resolved against the URL of the stream', () => {
  it.each([
    ['absolute', '/sse', (origin: string) => `${origin}/messages`, '/messages'],
    ['root-relative', '/sse', () => '/messages', '/messages'],
    ['relative', '/sse', () => 'messages', '/messages'],
    ['root-relative under a prefix', '/team/a/sse', () => '/team/a/messages', '/team/a/messages'],
    ['relative under a prefix', '/team/a/sse', () => 'messages', '/team/a/messages'],
    ['relative, one up', '/team/a/sse', () => '../b/messages', '/team/b/messages'],
  ])('%s', async (_how, path, endpoint, messages) => {
    const server = await sseServer({ path, endpoint, messages });
    expect(await (await up(server)).call('echo', { path })).toEqual({ path });
  });

  it('and keeps its query, when it is nothing but a query too', () => {
    const stream = new URL('http://127.0.0.1:1/a/sse?x=1');
    expect(endpointOf('?sessionId=7', stream)).toBe('/a/sse?sessionId=7');
    expect(endpointOf('messages?sessionId=7&y=%2F', stream)).toBe('/a/messages?sessionId=7&y=%2F');
  });

  it.each([
    'http://127.0.0.1:2/messages',
    'https://127.0.0.1:1/messages',
    '//evil.example/messages',
    'http://127.0.0.1:1@evil.example/messages',
    'http://localhost:1/messages',
    'javascript:alert(1)',
  ])('never to another origin: %s', (endpoint) => {
    expect(() => endpointOf(endpoint, new URL('http://127.0.0.1:1/sse'))).toThrow(
      /messages are only sent to/,
    );
  });

  it('so that a server that names another gets nothing sent there, and says why it is down', async () => {
    const other = await sseServer();
    const server = await sseServer({ endpoint: () => `${other.origin}/messages` });
    const upstream = start(configOf(server.url));
    await upstream.settled;
    expect(upstream.status().reason).toContain(`names the origin ${other.origin}`);
    expect(other.requests).toEqual([]);
  });
});

describe('what is no such stream says so', () => {
  it.each([
    [405, {}, '', /HTTP 405 without a stream of events; .*Streamable HTTP/],
    [200, { 'content-type': 'text/html' }, '<p>', /HTTP 200 without a stream of events/],
    [401, {}, '', /HTTP 401: the server refused the credential/],
    [200, { 'content-type': 'text/event-stream' }, ': nothing\n\n', /the server ended the stream/],
  ])('%d %o', async (status, headers, body, reason) => {
    const upstream = start(configOf(await answeringGet(status, headers, body)));
    await upstream.settled;
    expect(upstream.status()).toMatchObject({ state: 'down', reason: expect.stringMatching(reason) });
  });

  it('nobody there', async () => {
    const upstream = start(configOf('http://127.0.0.1:9/sse'));
    await upstream.settled;
    expect(upstream.status().reason).toMatch(/ECONNREFUSED/);
  });
});
