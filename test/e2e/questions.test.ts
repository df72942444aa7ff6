/** What a server asks in the middle of a call reaches the caller it belongs to, in all four pairs of eras. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacyClient, modern, post, startGateway, type TestGateway } from './kit.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const KEYS = { ann: 'key-of-ann-0001', bob: 'key-of-bob-0002' };
const children: ChildProcess[] = [];

async function start(name: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [fixture(name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return port.toString().trim();
}

let gateway: TestGateway;

beforeAll(async () => {
  const [legacy, asksModern] = await Promise.all([start('asking.ts', 'http'), start('modern-asking.ts')]);
  const key = (id: 'ann' | 'bob'): string =>
    `{ id: ${id}, sha256: "${createHash('sha256').update(KEYS[id]).digest('hex')}" }`;
  gateway = await startGateway({
    yaml: `
upstreams:
  pipe: { command: ${process.execPath}, args: [${fixture('asking.ts')}], timeout: 1s }
  web: { url: "http://127.0.0.1:${legacy}/mcp" }
  modern: { url: "http://127.0.0.1:${asksModern}/mcp" }
  fickle: { command: ${process.execPath}, args: [${fixture('withdrawing.ts')}] }
  common: { command: ${process.execPath}, args: [${fixture('asking.ts')}], instances: shared }
auth: { apiKeys: [${key('ann')}, ${key('bob')}] }
`,
  });
}, 60_000);

afterAll(async () => {
  await gateway.stop();
  for (const child of children) child.kill();
});

type Answerer = (message: string) => Promise<string> | string;

const init = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

/** A legacy client that answers every question with a word. */
async function asked(answer: Answerer, key = KEYS.ann): Promise<Client> {
  const client = new Client(
    { name: 'asked', version: '1' },
    { capabilities: { elicitation: {}, sampling: {} } },
  );
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
    action: 'accept' as const,
    content: { word: await answer(params.message) },
  }));
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
    model: 'none',
    role: 'assistant' as const,
    content: { type: 'text' as const, text: JSON.stringify(params.messages).length.toString() },
  }));
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), init(key)));
  return client;
}

async function modernAsked(answer: Answerer, key = KEYS.ann): Promise<ModernClient> {
  const client = new ModernClient(
    { name: 'asked', version: '2' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => ({
    action: 'accept' as const,
    content: { word: await answer(params.message) },
  }));
  await client.connect(new ModernTransport(new URL(gateway.url), init(key)));
  return client;
}

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]!.text;
const confirm = (upstream: string, who: string) => ({ name: `${upstream}__confirm`, arguments: { who } });

describe.each([
  ['SDK v1, legacy era', asked],
  ['SDK v2, modern era', modernAsked],
])('%s', (_name, connect) => {
  it.each(['pipe', 'web', 'modern'])('is asked by %s and its word arrives', async (upstream) => {
    const client = await connect((message) => `word for "${message}"`);
    expect(textOf(await client.callTool(confirm(upstream, 'ann')))).toBe(
      'ann: accept word for "Which word, ann?"',
    );
    await client.close();
  });

  it('two clients at once, on one stdio server, are each asked their own', async () => {
    const seen: string[] = [];
    const both: ((value: void) => void)[] = [];
    // Nobody answers before both were asked.
    const answer = (own: string) => async (message: string) => {
      seen.push(`${own} was asked: ${message}`);
      await new Promise<void>((resolve) => {
        both.push(resolve);
        if (both.length === 2) for (const go of both) go();
      });
      return own;
    };
    const clients = await Promise.all([connect(answer('one'), KEYS.ann), connect(answer('two'), KEYS.bob)]);
    const results = await Promise.all(
      clients.map((client, index) => client.callTool(confirm('pipe', ['ann', 'bob'][index]!))),
    );
    expect(results.map(textOf)).toEqual(['ann: accept one', 'bob: accept two']);
    expect(seen.sort()).toEqual(['one was asked: Which word, ann?', 'two was asked: Which word, bob?']);
    await Promise.all(clients.map((client) => client.close()));
  });
});

describe('the legacy era', () => {
  it('samples as well', async () => {
    const client = await asked(() => '');
    expect(textOf(await client.callTool({ name: 'pipe__think', arguments: { who: 'ann' } }))).toMatch(
      /^thought \{"type":"text","text":"\d+"\}$/,
    );
    await client.close();
  });

  it('does not count the time of a person against the call', async () => {
    const client = await asked(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500)); // longer than the timeout of the upstream
      return 'late';
    });
    expect(textOf(await client.callTool(confirm('pipe', 'ann')))).toBe('ann: accept late');
    await client.close();
  });

  it('declares nothing for a client that answers nothing: the server says so itself', async () => {
    const client = await legacyClient(gateway.url, KEYS.ann);
    await expect(client.callTool(confirm('pipe', 'ann'))).rejects.toThrow(
      /Client does not support .*elicitation/,
    );
    await client.close();
  });

  it('asks nobody on an upstream that is shared by configuration: whose question it is could not be told', async () => {
    const client = await asked(() => 'never');
    await expect(client.callTool(confirm('common', 'ann'))).rejects.toThrow(
      /Client does not support .*elicitation/,
    );
    await client.close();
  });

  it('tells the client that a question was withdrawn', async () => {
    const client = new Client({ name: 'slow', version: '1' }, { capabilities: { elicitation: {} } });
    let withdrawn = false;
    client.setRequestHandler(ElicitRequestSchema, async (_request, { signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      withdrawn = true;
      return { action: 'cancel' as const };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), init(KEYS.ann)));
    expect(textOf(await client.callTool({ name: 'fickle__ask', arguments: {} }))).toBe('withdrawn');
    expect(withdrawn).toBe(true);
    await client.close();
  });

  it('refuses a server that asks too much at once', async () => {
    const client = await asked(() => new Promise(() => undefined));
    expect(textOf(await client.callTool({ name: 'fickle__flood', arguments: {} }))).toBe(
      '68 refused: Refused: too many questions are open.',
    );
    await client.close();
  });

  it('passes the refusal of the client on to the server', async () => {
    const client = new Client({ name: 'unwilling', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' as const }));
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), init(KEYS.ann)));
    expect(textOf(await client.callTool(confirm('web', 'ann')))).toBe('ann: decline ');
    await client.close();
  });
});

describe('a state of the modern era', () => {
  const ELICITS = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };

  async function call(upstream: string, key: string, extra: object = {}, who = 'ann'): Promise<any> {
    const [body, headers] = modern('tools/call', { ...confirm(upstream, who), ...extra });
    const message = JSON.parse(body);
    Object.assign(message.params._meta, ELICITS);
    return (await post(gateway.url, JSON.stringify(message), { ...headers, authorization: `Bearer ${key}` }))
      .json;
  }

  const accept = (questions: object) =>
    Object.fromEntries(
      Object.keys(questions).map((name) => [name, { action: 'accept', content: { word: 'yes' } }]),
    );

  it.each(['pipe', 'modern'])(
    'of %s is sealed and continues the call; both records are linked',
    async (upstream) => {
      const { result } = await call(upstream, KEYS.ann);
      expect(result).toMatchObject({ resultType: 'input_required' });
      expect(Buffer.from(result.requestState, 'base64url').toString('latin1')).not.toContain('state of');
      const retry = { inputResponses: accept(result.inputRequests), requestState: result.requestState };
      const done = await call(upstream, KEYS.ann, retry);
      expect(textOf(done.result)).toBe('ann: accept yes');
      const records = (await gateway.records()).filter(
        ({ method, target }) => method === 'tools/call' && target?.name === 'confirm',
      );
      const [first, second] = records.slice(-2);
      expect([first!['outcome'], second!['outcome'], second!['continues']]).toEqual([
        'input_required',
        'ok',
        first!['requestId'],
      ]);
    },
  );

  it('is refused when forged, changed, replayed, or used by another or for something else', async () => {
    const { result } = await call('pipe', KEYS.ann);
    const retry = {
      inputResponses: accept(result.inputRequests),
      requestState: result.requestState as string,
    };
    const changed = `${retry.requestState.slice(0, -2)}AA`;
    const refused = [
      await call('pipe', KEYS.bob, retry),
      await call('pipe', KEYS.ann, retry, 'somebody else'),
      await call('web', KEYS.ann, retry),
      await call('pipe', KEYS.ann, { ...retry, requestState: changed }),
      await call('pipe', KEYS.ann, { ...retry, requestState: 'invented' }),
      await call('pipe', KEYS.ann, { ...retry, requestState: 5 }),
    ];
    expect(refused.map(({ error }) => error?.code)).toEqual(Array.from({ length: 6 }, () => -32602));
    expect(textOf((await call('pipe', KEYS.ann, retry)).result)).toBe('ann: accept yes');
    expect((await call('pipe', KEYS.ann, retry)).error.code).toBe(-32602);
  });
});
