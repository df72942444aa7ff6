/** Answers that take long show signs of life to clients that can take them, by the one clock of the gateway. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { legacyClient, modern, openSession, rpc, startGateway, until, type TestGateway } from './kit.ts';
import { scripted } from './scripted.ts';

let gateway: TestGateway;
let session: Record<string, string>;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  gateway = await startGateway({ yaml: `upstreams:\n${scripted('slow', {})}` });
  session = await openSession(gateway.url);
}, 60_000);
afterAll(async () => {
  const stopped = gateway.stop();
  vi.useRealTimers();
  await stopped;
});

const open: ReturnType<typeof httpRequest>[] = [];
afterEach(() => open.splice(0).forEach((each) => each.destroy()));

/** Calls a tool that does not answer; resolves when the server has the call. */
async function hang(accept: string, body: string, headers: Record<string, string>): Promise<any> {
  const { port } = new URL(gateway.url);
  const call = httpRequest({
    port,
    path: '/mcp',
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
  });
  open.push(call.on('error', () => undefined));
  const before = await hanging();
  call.end(body);
  await until(async () => (await hanging()) > before);
  return call;
}

/** Calls of `hang` that the server has seen. */
async function hanging(): Promise<number> {
  const client = await legacyClient(gateway.url);
  const answer = JSON.stringify(await client.callTool({ name: 'slow__seen' }));
  await client.close();
  return answer.split('\\"name\\":\\"hang\\"').length - 1;
}

const legacyCall = (): [string, Record<string, string>] => [
  rpc('tools/call', { name: 'slow__hang' }),
  session,
];
const BOTH = 'application/json, text/event-stream';

it.each([
  ['legacy', legacyCall],
  ['modern', () => modern('tools/call', { name: 'slow__hang' })],
])('a %s call is answered as a stream after 15 s, and gets a comment every 15 s', async (_era, make) => {
  const call = await hang(BOTH, ...make());
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  vi.advanceTimersByTime(15_000);
  const [response] = await answered;
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream']);
  let text = '';
  response.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await until(() => text === ': keep-alive\n\n');
  vi.advanceTimersByTime(15_000);
  await until(() => text === ': keep-alive\n\n: keep-alive\n\n');
});

it('a client that takes JSON only is left in peace, and so is one that waits for less', async () => {
  const patient = await hang('application/json', ...legacyCall());
  const quick = await hang(BOTH, ...legacyCall());
  let answered = 0;
  for (const call of [patient, quick]) call.on('response', () => void answered++);
  vi.advanceTimersByTime(10_000);
  // Whatever was written for them has come before what is asked now.
  await hanging();
  expect(answered).toBe(0);
  vi.advanceTimersByTime(5_000);
  await once(quick, 'response');
  expect(answered).toBe(1);
});
