/** Newcomer points 2, 3 and 7: the shipped configuration, and the three clients that everybody has. */
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve, type Running } from '../../src/cli/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import {
  legacyClient,
  linkPackages,
  modernClient,
  readRecords,
  ROOT,
  temporaryFolder,
  until,
} from './kit.ts';

const run = promisify(execFile);

let gateway: Running;
let dir: string;

beforeAll(async () => {
  dir = temporaryFolder();
  for (const part of ['policies', 'demo']) cpSync(join(ROOT, part), join(dir, part), { recursive: true });
  linkPackages(dir);
  const shipped = readFileSync(join(ROOT, 'gateway.yaml'), 'utf8');
  writeFileSync(
    join(dir, 'gateway.yaml'),
    `${shipped}\nlog: { level: error }\n`.replace(/^listen:.*$/m, '').replace(/^admin:.*$/m, '') +
      'listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\n',
  );
  const { config, secrets } = await loadConfig(join(dir, 'gateway.yaml'));
  gateway = await serve(config, secrets);
  await until(() => gateway.gateway.ready(), 60_000);
}, 90_000);

afterAll(() => gateway.stop());

it('starts the three shipped upstreams', () => {
  expect(gateway.gateway.status().map(({ id, state }) => [id, state])).toEqual([
    ['everything', 'up'],
    ['files', 'up'],
    ['memory', 'up'],
  ]);
});

/** What both SDK clients must be able to do, in the words they share. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<{ messages: unknown[] }>;
  complete(params: {
    ref: { type: 'ref/prompt'; name: string };
    argument: { name: string; value: string };
  }): Promise<{ completion: { values: string[] } }>;
  close(): Promise<void>;
}

describe.each([
  ['SDK v1, legacy era', async (url: string) => (await legacyClient(url)) as unknown as AnyClient],
  ['SDK v2, pinned to 2026-07-28', async (url: string) => (await modernClient(url)) as unknown as AnyClient],
])('%s', (_name, connect) => {
  let client: AnyClient;
  beforeAll(async () => {
    client = await connect(gateway.url);
  });
  afterAll(() => client.close());

  it('lists and calls tools of all upstreams', async () => {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['everything__echo', 'files__read_text_file', 'memory__read_graph']),
    );
    expect(
      await client.callTool({ name: 'everything__echo', arguments: { message: 'こんにちは 世界' } }),
    ).toMatchObject({ content: [{ type: 'text', text: 'Echo: こんにちは 世界' }] });
  });

  it('lists and reads resources and templates', async () => {
    const { resources } = await client.listResources();
    const uri = resources[0]!.uri;
    expect((await client.readResource({ uri })).contents[0]!.uri).toBe(uri);
    const { resourceTemplates } = await client.listResourceTemplates();
    const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes('text'))!.uriTemplate;
    const filled = template.replace(/\{[^}]+\}/, '1');
    expect((await client.readResource({ uri: filled })).contents[0]!.uri).toBe(filled);
  });

  it('lists and gets prompts, and completes their arguments', async () => {
    const names = (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(names).toContain('everything__simple-prompt');
    expect((await client.getPrompt({ name: 'everything__simple-prompt' })).messages).toHaveLength(1);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'everything__completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(completion.values).toContain('Engineering');
  });

  it('reads what a resource link of a tool result points to', async () => {
    const result = (await client.callTool({
      name: 'everything__get-resource-links',
      arguments: { count: 1 },
    })) as { content: { type: string; uri?: string }[] };
    const link = result.content.find(({ type }) => type === 'resource_link')!;
    expect((await client.readResource({ uri: link.uri! })).contents).toHaveLength(1);
  });
});

it('serves the official inspector', async () => {
  const inspector = join(ROOT, 'node_modules/.bin/mcp-inspector');
  const ask = async (...args: string[]): Promise<any> => {
    const { stdout } = await run(
      process.execPath,
      [inspector, '--cli', gateway.url, '--transport', 'http', ...args],
      { cwd: dir, env: { ...process.env, HOME: dir } },
    );
    return JSON.parse(stdout);
  };
  const { tools } = await ask('--method', 'tools/list');
  expect(tools.map(({ name }: { name: string }) => name)).toContain('everything__echo');
  const called = await ask(
    '--method',
    'tools/call',
    '--tool-name',
    'everything__echo',
    '--tool-arg',
    'message=hello',
  );
  expect(called.content[0].text).toBe('Echo: hello');
  expect((await ask('--method', 'prompts/list')).prompts.length).toBeGreaterThan(0);
  expect((await ask('--method', 'resources/list')).resources.length).toBeGreaterThan(0);
});

it('wrote one audit record for each attempt, without a secret', async () => {
  const client = await legacyClient(gateway.url);
  await client.callTool({
    name: 'everything__echo',
    arguments: { message: 'recorded', apiKey: 'not-for-the-log' },
  });
  await client.close();
  await gateway.gateway.snapshot().audit.flush();
  const records = readRecords(join(dir, 'audit/gatehouse.jsonl'));
  const [record, ...more] = records.filter(({ arguments: args }) => args?.message === 'recorded');
  expect(more).toEqual([]);
  expect(record).toMatchObject({
    method: 'tools/call',
    principal: { id: 'anonymous' },
    client: { name: 'test-legacy', version: '1.0.0' },
    upstream: 'everything',
    target: { kind: 'tool', name: 'echo' },
    decision: { allow: true },
    outcome: 'ok',
    arguments: { message: 'recorded', apiKey: '[masked]' },
  });
  expect(record!['decision'].policyVersion).toMatch(/^[0-9a-f]{16}$/);
  expect(record!['durationMs']).toBeGreaterThan(0);
  expect(JSON.stringify(records)).not.toContain('not-for-the-log');
});
