import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PolicyError } from '../../src/policy/errors.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { folder, inputOf, policyFolder, settings } from './policies.ts';

async function load(paths: readonly string[], stateDir = folder()): Promise<Policy> {
  const policy = await loadPolicy(settings(paths), { stateDir });
  onTestFinished(() => policy.close());
  return policy;
}

async function problemsOf(files: Readonly<Record<string, string>>): Promise<PolicyError> {
  const error: unknown = await load([policyFolder(files)]).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PolicyError);
  return error as PolicyError;
}

describe('mode off', () => {
  test('allows everything and says so', async () => {
    const policy = await loadPolicy(settings([], { mode: 'off' }), { stateDir: folder() });
    expect(policy).toMatchObject({ mode: 'off', version: 'off', files: 0 });
    expect(policy.decide(inputOf(), 'a')).toMatchObject({ allow: true });
    expect(await policy.decideAll([inputOf(), inputOf()], 'a')).toHaveLength(2);
  });
});

describe('a policy that cannot be used is refused', () => {
  test('missing or empty: the error names both ways out', async () => {
    const missing = load([join(folder(), 'policies')]);
    await expect(missing).rejects.toThrow(/does not exist.*policies\/gateway\.rego.*policy: \{ mode: off \}/);
    await expect(load([folder()])).rejects.toThrow(/no \*\.rego file/);
    await expect(load([])).rejects.toThrow(PolicyError);
  });

  test('only tests are no policy', async () => {
    const error = await problemsOf({ 'gateway_test.rego': 'package gateway\n\ntest_a if true\n' });
    expect(error.message).toMatch(/no \*\.rego file/);
  });

  test.each([
    ['syntax', 'package gateway\n\nallow if {\n\tinput.x ==\n}\n', 5, /unexpected/],
    ['old syntax', 'package gateway\n\nallow { input.x }\n', 3, /`if` keyword/],
    ['an empty file', '', 1, /empty/],
    [
      'a builtin that is not given',
      'package gateway\n\nallow if http.send({"url": "http://x"})\n',
      3,
      /http\.send.*docs\/policy\.md/,
    ],
    [
      'a builtin left out',
      'package gateway\n\nallow if {\n\treplace(input.method, "a", "b") == "c"\n}\n',
      4,
      /strings\.replace_n/,
    ],
    ['a wrong type', 'package gateway\n\nallow if startswith(1, "a")\n', 3, /invalid argument/],
    [
      'an unsupported output',
      'package gateway\n\nallow if true\n\nredact contains "x"\n',
      5,
      /redact is not supported/,
    ],
    [
      'an unsupported package',
      'package gateway.shadow\n\nallow if true\n',
      1,
      /gateway\.shadow is not supported/,
    ],
    ['the reserved package', 'package gatehouse\n\ndecision := {"allow": true}\n', 1, /gateway's own/],
    ['no allow', 'package gateway\n\ndeny contains "x" if input.x\n', 1, /no rule allow/],
    ['an output that is a function', 'package gateway\n\nallow(x) if x\n', 3, /not a function/],
  ])('%s, with file and line', async (_, text, row, message) => {
    const error = await problemsOf({ 'gateway.rego': text });
    expect(error.problems[0]).toMatchObject({ file: expect.stringMatching(/gateway\.rego$/) as string, row });
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(new RegExp(`gateway\\.rego:${row}:\\d+: `));
  });

  test('every problem is told, in order', async () => {
    const calls = Array.from({ length: 15 }, (_, index) => `allow if nothing${index}(input)\n`);
    const { problems } = await problemsOf({ 'gateway.rego': `package gateway\n\n${calls.join('')}` });
    expect(problems.map(({ row }) => row)).toEqual(calls.map((_, index) => index + 3));
  });

  test('conflicting data', async () => {
    const error = await problemsOf({
      'gateway.rego': 'package gateway\n\nallow if data.teams.a\n',
      'data.json': '{"teams": {"a": true}}',
      'teams/data.yaml': 'a: false\n',
    });
    expect(error.message).toMatch(/teams\/data\.yaml: data\.teams\.a has a value from another file/);
  });
});

describe('what a policy is made of', () => {
  test('libraries, data in folders, and nothing of tests', async () => {
    const path = policyFolder({
      'gateway.rego': 'package gateway\n\nimport data.lib.names\n\nallow if names.known(input.target.name)\n',
      'lib/names.rego': 'package lib.names\n\nknown(name) if name in data.tools.known\n',
      'tools/data.json': '{"known": ["read_file"]}',
      'gateway_test.rego': 'package gateway\n\nallow if true\n',
      '..data/copy.rego': 'package gateway\n\nallow if true\n',
    });
    const policy = await load([path]);
    expect(policy.files).toBe(2);
    expect(await policy.decide(inputOf({ tool: 'read_file' }), 'a')).toMatchObject({ allow: true });
    expect(await policy.decide(inputOf({ tool: 'write_file' }), 'a')).toMatchObject({ allow: false });
  });

  test('numbers in data and arguments keep all digits', async () => {
    const path = policyFolder({
      'gateway.rego': 'package gateway\n\nallow if input.arguments.id == data.id\n',
      'data.json': '{"id": 12345678901234567890}',
    });
    const policy = await load([path]);
    const raw = JSON as unknown as { rawJSON(text: string): number };
    const decide = (id: string) => policy.decide(inputOf({ arguments: { id: raw.rawJSON(id) } }), 'a');
    expect(await decide('12345678901234567890')).toMatchObject({ allow: true });
    expect(await decide('12345678901234567891')).toMatchObject({ allow: false });
  });

  test('the version follows sources and data, not the place', async () => {
    const files = { 'gateway.rego': 'package gateway\n\nallow if data.on\n', 'data.json': '{"on": true}' };
    const [one, same, other] = await Promise.all([
      load([policyFolder(files)]),
      load([policyFolder(files)]),
      load([policyFolder({ ...files, 'data.json': '{"on": false}' })]),
    ]);
    expect(one.version).toMatch(/^[0-9a-f]{16}$/);
    expect(same.version).toBe(one.version);
    expect(other.version).not.toBe(one.version);
  });
});

describe('compiled policies are kept', () => {
  const files = { 'gateway.rego': 'package gateway\n\nallow if input.method == "tools/call"\n' };

  function entries(stateDir: string): { path: string; made: bigint }[] {
    const kept = join(stateDir, 'policies');
    return readdirSync(kept).map((name) => ({
      path: join(kept, name),
      made: statSync(join(kept, name), { bigint: true }).mtimeNs,
    }));
  }

  test('an unchanged policy compiles nothing', async () => {
    const stateDir = folder();
    const path = policyFolder(files);
    await load([path], stateDir);
    const before = entries(stateDir);
    expect(before).toHaveLength(2);
    const policy = await load([path], stateDir);
    expect(entries(stateDir)).toEqual(before);
    expect(await policy.decide(inputOf(), 'a')).toMatchObject({ allow: true });
  });

  test.each(['.wasm', '.json'])('a damaged %s is compiled anew', async (end) => {
    const stateDir = folder();
    const path = policyFolder(files);
    await load([path], stateDir);
    const damaged = entries(stateDir).find(({ path: file }) => file.endsWith(end))?.path ?? '';
    const whole = readFileSync(damaged);
    writeFileSync(damaged, Buffer.concat([whole.subarray(0, whole.length - 9), Buffer.from('a'.repeat(9))]));
    const policy = await load([path], stateDir);
    expect(readFileSync(damaged)).toEqual(whole);
    expect(await policy.decide(inputOf(), 'a')).toMatchObject({ allow: true });
  });

  test('a state directory that cannot be written costs only the cache', async () => {
    const blocked = join(policyFolder({ state: '' }), 'state');
    const warnings: string[] = [];
    const policy = await loadPolicy(settings([policyFolder(files)]), {
      stateDir: blocked,
      log: { warn: (_, message) => void warnings.push(message) },
    });
    onTestFinished(() => policy.close());
    expect(warnings).toEqual([expect.stringContaining('could not be kept')]);
    expect(await policy.decide(inputOf(), 'a')).toMatchObject({ allow: true });
  });
});
