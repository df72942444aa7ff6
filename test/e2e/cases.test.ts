/** Faults that people met at other gateways and proxies, each against a server that shows the symptom; the id is that of the report. */
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { CallToolResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
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

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url));
const said = (text: string): object => ({ content: [{ type: 'text', text }] });
const saying = (names: readonly string[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, said(name)]));

const POLICY = `package gateway

default allow := false

allow if input.target.name != "denied"
`;

/** Twenty characters. */
const LONG_ID = 'twenty-letters-of-id';
const LONG_NAMES = ['s'.repeat(60), `${'l'.repeat(127)}1`, `${'l'.repeat(127)}2`];
const ODD_NAMES = ['_x', '9x', 'a.b', 'a/b', 'a-b'];

const RICH = {
  content: [
    { type: 'text', text: 'ü', note: 1 },
    { type: 'not-known-yet', body: [1, null] },
  ],
  structuredContent: { deep: { list: [1, 2.5, -1], empty: {} } },
  _meta: { 'example.org/trace': 'x' },
  invented: { by: ['the', 'server'] },
};
const NODE = { type: 'object', properties: { child: { $ref: '#/definitions/node' } } };
const SCHEMA = {
  type: 'object',
  definitions: { node: NODE },
  $defs: { other: { $ref: '#/definitions/node' } },
  anyOf: [{ required: ['a'] }, { required: ['b'] }],
  properties: { a: { $ref: '#/definitions/node' }, b: { $ref: '#/$defs/other' } },
  'x-unknown': true,
};
const RICH_TOOL = { name: 'rich', inputSchema: SCHEMA, outputSchema: SCHEMA, _meta: { a: 1 }, invented: [1] };

/** The tools that every scripted server has. */
const BUILT_IN = /(hang|seen|announce|update|die|flood)$/;

const page = (...names: string[]): object => ({
  tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })),
});
const DOCUMENTS = { capabilities: { tools: {}, resources: {} } };
const LINK = { content: [{ type: 'resource_link', name: 'doc', uri: 'demo://doc/1' }] };

let gateway: TestGateway;
let client: Client;
let session: Record<string, string>;

beforeAll(async () => {
  const upstreams = [
    scripted(LONG_ID, { tools: saying(LONG_NAMES) }),
    scripted('odd', { tools: saying(ODD_NAMES) }),
    scripted('pages', {
      answers: { 'tools/list': [page('p1', 'p2'), page('p3'), page('p4', 'p1')] },
      tools: saying(['p4']),
    }),
    scripted('endless', { answers: { 'tools/list': [page('e1'), page('e2')] }, endless: true }),
    scripted('faithful', {
      answers: { 'tools/list': [{ tools: [RICH_TOOL, { name: 'seen' }, { name: 'denied' }] }] },
      tools: { rich: RICH },
    }),
    scripted('one', { ...DOCUMENTS, texts: { 'demo://doc/1': 'of one' } }),
    scripted('two', { ...DOCUMENTS, texts: { 'demo://doc/1': 'of two' }, tools: { link: LINK } }),
  ];
  gateway = await startGateway({
    files: { 'policies/gateway.rego': POLICY },
    yaml: `
limits: { result: 8MiB }
upstreams:
${upstreams.join('')}  growing: { command: ${process.execPath}, args: [${fixture('growing')}] }
  big: { command: ${process.execPath}, args: [${fixture('stdio-server')}] }
`,
  });
  client = await legacyClient(gateway.url);
  session = await openSession(gateway.url);
}, 60_000);

afterAll(async () => {
  await client.close();
  await gateway.stop();
});

/** What a tool said in its first block. */
async function call(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
  return content[0]?.type === 'text' ? content[0].text : '';
}

const seenBy = async (upstream: string): Promise<any[]> => JSON.parse(await call(`${upstream}__seen`));

async function toolsOf(upstream: string): Promise<string[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name }) => name).filter((name) => name.startsWith(`${upstream}__`));
}

describe('names', () => {
  it('D9: a tool with a name that others cannot register is listed and callable', async () => {
    const exposed = (await toolsOf('odd')).filter((name) => !BUILT_IN.test(name));
    const answers = await Promise.all(exposed.map((name) => call(name)));
    expect(answers).toEqual(ODD_NAMES);
    for (const name of exposed) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it('D10: a long name is shortened, is no longer than models take, and leads to its own tool', async () => {
    const { tools } = await client.listTools();
    const long = tools.map(({ name }) => name).filter((name) => name.startsWith(LONG_ID.slice(0, 8)));
    expect(long.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
    const answers = await Promise.all(long.filter((name) => !BUILT_IN.test(name)).map((name) => call(name)));
    expect(answers.sort()).toEqual([...LONG_NAMES].sort());
  });
});

describe('lists', () => {
  it('D11: the tools of every page are there, once each, and callable', async () => {
    expect(await toolsOf('pages')).toEqual(['pages__p1', 'pages__p2', 'pages__p3', 'pages__p4']);
    expect(await call('pages__p4')).toBe('p4');
  });

  it('D12: a cursor that repeats ends the walk; what was read is kept', async () => {
    expect(await toolsOf('endless')).toEqual(['endless__e1', 'endless__e2']);
  });

  it('D29: a list that is announced again without a change is told to nobody', async () => {
    const listener = await legacyClient(gateway.url);
    let told = 0;
    listener.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++);
    const reread = async (): Promise<number> =>
      (await seenBy('odd')).filter(({ method }) => method === 'tools/list').length;
    for (const times of [2, 3]) {
      await call('odd__announce');
      await until(async () => (await reread()) >= times);
    }
    expect(told).toBe(0);
    await call('growing__grow');
    await until(() => told > 0);
    await listener.close();
  });
});

describe('fidelity', () => {
  it('D13: a result passes byte by byte: structured content, metadata, unknown members and kinds', async () => {
    const { text } = await post(gateway.url, rpc('tools/call', { name: 'faithful__rich' }), session);
    expect(text).toBe(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(RICH)}}`);
  });

  it('D14: a schema is listed as it is: definitions, references, anyOf at the root', async () => {
    const { json } = await post(gateway.url, rpc('tools/list'), session);
    const tools = json.result.tools as { name: string }[];
    expect(tools.find(({ name }) => name === 'faithful__rich')).toEqual({
      ...RICH_TOOL,
      name: 'faithful__rich',
    });
  });

  it.each([64 * 1024, 1024 ** 2, 5 * 1024 ** 2])('D35: a line of %i bytes is delivered', async (bytes) => {
    expect(await call('big__big', { bytes })).toHaveLength(bytes);
  });

  it('D35: a longer line is one clear error, and the other calls go on', async () => {
    const waiting = call('big__big', { bytes: 9 * 1024 ** 2 });
    const [long, short] = await Promise.all([waiting, call('big__echo', { still: 'here' })]);
    expect(long).toMatch(/larger|longer|more than|too l/i);
    expect(short).toBe('{"still":"here"}');
    expect(await call('big__echo', { again: 1 })).toBe('{"again":1}');
  });
});

describe('resources', () => {
  it('D15: two servers with the same URI are both read, each with its own text', async () => {
    const { resources } = await client.listResources();
    const texts = await Promise.all(
      resources.map(async ({ uri }) => (await client.readResource({ uri })).contents[0]),
    );
    expect(texts.map((content) => (content && 'text' in content ? content.text : ''))).toEqual([
      'of one',
      'of two',
    ]);
  });

  it('D16: the link in a result is read through the gateway, from the server that gave it', async () => {
    const { content } = CallToolResultSchema.parse(await client.callTool({ name: 'two__link' }));
    const uri = content[0]?.type === 'resource_link' ? content[0].uri : '';
    expect((await client.readResource({ uri })).contents).toEqual([{ uri, text: 'of two' }]);
  });
});

describe('calls under way', () => {
  it('D17: a cancelled call is cancelled at the server, by the id it has there', async () => {
    const abort = new AbortController();
    const call = client.callTool({ name: 'one__hang' }, undefined, { signal: abort.signal });
    const ended = call.then(
      () => 'answered',
      () => 'cancelled',
    );
    const hanging = async (): Promise<any> =>
      (await seenBy('one')).find(({ params }) => params?.name === 'hang');
    await until(async () => (await hanging()) !== undefined);
    abort.abort();
    expect(await ended).toBe('cancelled');
    const cancelled = async (): Promise<any> =>
      (await seenBy('one')).find(({ method }) => method === 'notifications/cancelled');
    await until(async () => (await cancelled()) !== undefined);
    expect((await cancelled()).params.requestId).toBe((await hanging()).id);
  });

  it('D37: two hundred clients at once, with the same ids, each get their own', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, mark) => {
        const own = await openSession(gateway.url);
        const { json } = await post(
          gateway.url,
          rpc('tools/call', { name: 'big__echo', arguments: { mark } }),
          own,
        );
        return { session: own['mcp-session-id'], text: json.result.content[0].text as string };
      }),
    );
    expect(new Set(answers.map((answer) => answer.session)).size).toBe(200);
    expect(answers.map(({ text }) => text)).toEqual(answers.map((_, mark) => `{"mark":${mark}}`));
    expect(await call('big__echo', { after: 1 })).toBe('{"after":1}');
  });
});

describe('the wire', () => {
  it.each([
    ['application/json', 200, 'application/json'],
    ['text/event-stream', 200, 'text/event-stream'],
    ['*/*', 200, 'application/json'],
    [undefined, 200, 'application/json'],
    ['image/png', 406, 'application/json'],
  ])('D22: Accept %s is answered with %i and %s', async (accept, status, type) => {
    const { statusCode, headers, body } = await request(gateway.url, {
      method: 'POST',
      headers: {
        ...session,
        'content-type': 'application/json',
        ...(accept === undefined ? {} : { accept }),
      },
      body: rpc('ping'),
    });
    expect([statusCode, headers['content-type']]).toEqual([status, type]);
    expect(await body.text()).toContain('"jsonrpc":"2.0"');
  });

  it.each(['"1"', '1', '0', '""', '"a b"', '9007199254740992', '-5'])(
    'D24: the id %s comes back with its type',
    async (id) => {
      const { text } = await post(gateway.url, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`, session);
      expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
    },
  );

  it('D25: a batch of an allowed and a denied call is refused whole, and recorded', async () => {
    const count = async (): Promise<number> => (await seenBy('faithful')).length;
    const before = await count();
    const batch = ['rich', 'denied'].map((tool, id) => rpc('tools/call', { name: `faithful__${tool}` }, id));
    const { status, json } = await post(gateway.url, `[${batch.join(',')}]`, session);
    expect([status, json.error.code, json.id]).toEqual([400, -32600, null]);
    expect(await count()).toBe(before + 1);
    const { requestId } = json.error.data;
    expect((await gateway.records()).find((record) => record['requestId'] === requestId)).toMatchObject({
      outcome: 'invalid',
    });
  });
});

describe('what servers can do', () => {
  it('D26: only what some server can do is offered; the rest is refused, not answered with nothing', async () => {
    const tools = await startGateway({ yaml: `upstreams:\n${scripted('only', { tools: saying(['t']) })}` });
    const peer = await legacyClient(tools.url);
    expect(peer.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
    const own = await openSession(tools.url);
    const answers = await Promise.all(
      ['prompts/list', 'resources/list', 'tasks/list'].map((method) => post(tools.url, rpc(method), own)),
    );
    expect(answers.map(({ json }) => json.error?.code)).toEqual([-32601, -32601, -32601]);
    expect(answers[2]?.json.error.message).toContain('tasks/list: this gateway offers no tasks');
    await peer.close();
    await tools.stop();
  });

  it('D38: name in header and body agree on either hop, each in the terms of its hop', async () => {
    const server = await modernServer();
    const hop = await startGateway({ yaml: `upstreams:\n  web: { url: "${server.url}" }\n` });
    const [body, headers] = modern('tools/call', { name: 'web__echo', arguments: { a: 1 } });
    expect((await post(hop.url, body, headers)).json.result.content[0].text).toBe('{"a":1}');
    const { headers: sent, message } = server.of('tools/call')[0]!;
    expect([sent['mcp-name'], message.params.name]).toEqual(['echo', 'echo']);
    expect([sent['mcp-method'], message.method]).toEqual(['tools/call', 'tools/call']);
    const lying = await post(hop.url, body, { ...headers, 'mcp-name': 'web__other' });
    expect([lying.status, lying.json.error.code]).toEqual([400, -32020]);
    expect(server.count('tools/call')).toBe(1);
    await hop.stop();
  });
});
