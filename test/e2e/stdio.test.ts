/** `gatehouse stdio` as a process that a host starts: the SDK's clients of both versions, and messages by hand. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect, it } from 'vitest';
import { EVERYTHING, freePort, modern, readRecords, ROOT, rpc, temporaryFolder, until } from './kit.ts';

const BIN = join(ROOT, 'bin/gatehouse.js');
const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const ONE = `upstreams:\n  everything: { command: ${process.execPath}, args: [${EVERYTHING}] }\n`;
const OTHERS = `
upstreams:
  asking: { command: ${process.execPath}, args: [${fixture('asking.ts')}] }
  growing: { command: ${process.execPath}, args: [${fixture('growing.ts')}] }
  scripted: { command: ${process.execPath}, args: [${fixture('scripted.ts')}] }
`;

const started: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A folder with this configuration. */
const folder = (yaml: string): string =>
  temporaryFolder({
    'policies/gateway.rego': 'package gateway\n\nallow := true\n',
    'gateway.yaml': `version: 1\n${yaml}`,
  });

const others = folder(OTHERS);

const command = (dir: string, ...more: string[]) => ({
  command: process.execPath,
  args: [BIN, 'stdio', '--config', join(dir, 'gateway.yaml'), ...more],
});

/** The command with its pipes in the hands of the test. */
function byHand(dir: string, ...more: string[]) {
  const { command: node, args } = command(dir, ...more);
  const child = spawn(node, args, { cwd: dir });
  started.push(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const lines = (): any[] =>
    out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  const answer = async (id: unknown): Promise<any> => {
    await until(() => lines().some((line) => line.id === id && !line.method), 30_000);
    return lines().find((line) => line.id === id);
  };
  return {
    child,
    ended,
    lines,
    answer,
    log: () => err,
    say: (text: string) => void child.stdin.write(`${text}\n`),
  };
}

const HELLO = rpc(
  'initialize',
  { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'by-hand', version: '1' } },
  'hello',
);

async function legacyOver(dir: string, capabilities = {}): Promise<Client> {
  const client = new Client({ name: 'old', version: '1' }, { capabilities });
  await client.connect(new StdioClientTransport({ ...command(dir), cwd: dir, stderr: 'ignore' }));
  return client;
}

it('serves a client of the legacy era: calls, and questions in the middle of them', async () => {
  const dir = folder(OTHERS);
  const client = await legacyOver(dir, { elicitation: {} });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { word: 'fig' } }));
  const answer = await client.callTool({ name: 'asking__confirm', arguments: { who: 'Ada' } });
  expect(answer).toMatchObject({ content: [{ text: 'Ada: accept fig' }] });
  await client.close();
  const record = readRecords(join(dir, 'audit/gatehouse.jsonl')).find(
    ({ method }) => method === 'tools/call',
  );
  expect(record).toMatchObject({ outcome: 'ok', principal: { id: 'anonymous' } });
}, 60_000);

it('tells a client of the legacy era of changes', async () => {
  const client = await legacyOver(others);
  let told = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++);
  const before = (await client.listTools()).tools.length;
  await client.callTool({ name: 'growing__grow', arguments: { times: 1 } });
  await until(() => told > 0);
  expect((await client.listTools()).tools).toHaveLength(before + 1);
  await client.close();
}, 60_000);

it('serves a client of the modern era', async () => {
  const dir = folder(ONE);
  const client = new ModernClient(
    { name: 'new', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new ModernTransport({ ...command(dir), cwd: dir, stderr: 'ignore' }));
  await until(async () => (await client.listTools()).tools.length > 0);
  const answer = await client.callTool({ name: 'everything__echo', arguments: { message: 'hi' } });
  expect(answer).toMatchObject({ content: [{ text: 'Echo: hi' }] });
  await client.close();
}, 60_000);

it('takes each message in its own era, progress before its answer, and cancels by notification', async () => {
  const gateway = byHand(others);
  gateway.say(HELLO);
  expect((await gateway.answer('hello')).result.protocolVersion).toBe('2025-06-18');
  gateway.say(modern('server/discover', {}, 'found')[0]);
  expect((await gateway.answer('found')).result.supportedVersions).toEqual(['2026-07-28']);
  gateway.say(modern('tools/call', { name: 'scripted__hang' }, 7)[0]);
  gateway.say(rpc('tools/call', { name: 'scripted__hang' }, 8));
  const seen = async (id: string): Promise<string> => {
    gateway.say(rpc('tools/call', { name: 'scripted__seen' }, id));
    return JSON.stringify(await gateway.answer(id));
  };
  let count = 0;
  await until(async () => (await seen(`seen-${++count}`)).split('hang').length >= 3, 30_000);
  for (const requestId of [7, 8])
    gateway.say(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }));
  await until(
    async () => (await seen(`seen-${++count}`)).split('notifications/cancelled').length >= 3,
    30_000,
  );
}, 60_000);

it('tells a modern subscription of changes until it is cancelled', async () => {
  const gateway = byHand(others);
  const asked = { notifications: { toolsListChanged: true } };
  gateway.say(modern('tools/list', {}, 'ready')[0]);
  await gateway.answer('ready');
  gateway.say(modern('subscriptions/listen', asked, 'sub')[0]);
  const meta = { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } };
  const heard = (method: string): any[] => gateway.lines().filter((line) => line.method === method);
  await until(() => heard('notifications/subscriptions/acknowledged').length === 1);
  expect(heard('notifications/subscriptions/acknowledged')[0].params).toEqual({ ...asked, ...meta });
  const grow = async (id: string): Promise<void> => {
    gateway.say(modern('tools/call', { name: 'growing__grow', arguments: { times: 1 } }, id)[0]);
    await gateway.answer(id);
  };
  await grow('first');
  await until(() => heard('notifications/tools/list_changed').length > 0);
  expect(heard('notifications/tools/list_changed')[0].params).toEqual(meta);
  const tools = async (id: string): Promise<number> => {
    gateway.say(modern('tools/list', {}, id)[0]);
    return (await gateway.answer(id)).result.tools.length as number;
  };
  const before = await tools('before');
  const announced = heard('notifications/tools/list_changed').length;
  gateway.say(
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'sub' } }),
  );
  await grow('second');
  let count = 0;
  await until(async () => (await tools(`after-${++count}`)) > before);
  expect(heard('notifications/tools/list_changed')).toHaveLength(announced);
}, 60_000);

it('answers what is wrong, and goes on', async () => {
  const gateway = byHand(folder('upstreams: {}\nlimits: { body: 1KiB }\n'));
  gateway.say('{');
  gateway.say('');
  gateway.say('[]');
  gateway.say(JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'ping', params: { long: 'x'.repeat(2_000) } }));
  gateway.say(rpc('tools/list', {}, 'early'));
  expect((await gateway.answer('early')).error.message).toContain('Send "initialize" first');
  expect(gateway.lines().map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32700],
    [null, -32600],
    [null, -32600],
    ['early', -32600],
  ]);
  gateway.say(HELLO);
  expect(await gateway.answer('hello')).toMatchObject({ result: { serverInfo: { name: 'gatehouse' } } });
}, 60_000);

it('ends when stdin ends, after the answers that were under way; stdout carries nothing but messages', async () => {
  const dir = folder(ONE);
  const gateway = byHand(dir);
  gateway.say(HELLO);
  gateway.child.stdin.end(
    `${rpc('tools/call', { name: 'everything__echo', arguments: { message: 'last' } }, 'last')}\n`,
  );
  expect(await gateway.ended).toBe(0);
  expect(gateway.lines().map(({ id }) => id)).toEqual(['hello', 'last']);
  expect(gateway.log()).toContain('serving one client over stdin and stdout');
  expect(readRecords(join(dir, 'audit/gatehouse.jsonl')).at(-1)).toMatchObject({ method: 'tools/call' });
}, 60_000);

it('ends at SIGTERM, although a call runs', async () => {
  const gateway = byHand(others);
  gateway.say(HELLO);
  await gateway.answer('hello');
  gateway.say(rpc('tools/call', { name: 'scripted__hang' }, 'never'));
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
}, 60_000);

it('opens no address, or the admin address alone when that is wanted', async () => {
  const ports = [await freePort(), await freePort()] as const;
  const yaml = `listen: 127.0.0.1:${ports[0]}\nadmin: 127.0.0.1:${ports[1]}\nupstreams: {}\n`;
  const closed = byHand(folder(yaml));
  closed.say(HELLO);
  await closed.answer('hello');
  expect(await Promise.all(ports.map(answers))).toEqual([false, false]);
  closed.child.stdin.end();
  expect(await closed.ended).toBe(0);
  const open = byHand(folder(yaml), '--admin');
  open.say(HELLO);
  await open.answer('hello');
  expect(await Promise.all(ports.map(answers))).toEqual([false, true]);
  open.child.stdin.end();
  expect(await open.ended).toBe(0);
}, 60_000);

it('refuses a configuration that writes records to stdout', async () => {
  const gateway = byHand(folder('audit: { sinks: [{ type: stdout }] }\nupstreams: {}\n'));
  expect(await gateway.ended).toBe(1);
  expect(gateway.log()).toMatch(/audit\.sinks\[0\]: stdout carries the messages of "gatehouse stdio"/);
  expect(gateway.lines()).toEqual([]);
}, 60_000);

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
