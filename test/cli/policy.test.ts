import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, describe, expect, test } from 'vitest';
import { policyCommands } from '../../src/cli/policy.ts';
import { PolicyError } from '../../src/policy/errors.ts';
import { policyFolder } from '../policy/policies.ts';

const POLICY = 'package gateway\n\nallow if input.method == "a"\n';
const passing =
  'package gateway_test\n\nimport data.gateway\n\ntest_a if gateway.allow with input.method as "a"\n';

interface Result {
  readonly text: string;
  readonly code: number | string | undefined;
}

async function run(args: readonly string[], paths: readonly string[] = []): Promise<Result> {
  let text = '';
  const program = new Command().exitOverride();
  policyCommands(program, { paths: () => Promise.resolve(paths), print: (part) => void (text += part) });
  await program.parseAsync(['policy', ...args], { from: 'user' });
  return { text, code: process.exitCode ?? undefined };
}

afterEach(() => {
  process.exitCode = undefined;
});

describe('policy check', () => {
  test('names what it looked at, in the configured paths by default', async () => {
    const path = policyFolder({ 'gateway.rego': POLICY, 'gateway_test.rego': passing });
    expect(await run(['check'], [path])).toEqual({
      text: '1 policy file, 1 test file: no errors\n',
      code: undefined,
    });
  });

  test('an error rejects with its position', async () => {
    const path = policyFolder({ 'gateway.rego': `${POLICY}\nallow if nothing(1)\n` });
    await expect(run(['check', path])).rejects.toThrow(PolicyError);
    await expect(run(['check', path])).rejects.toThrow(/gateway\.rego:5:10: undefined function nothing/);
  });
});

describe('policy test', () => {
  test('passes', async () => {
    const { text, code } = await run([
      'test',
      policyFolder({ 'gateway.rego': POLICY, 'gateway_test.rego': passing }),
    ]);
    expect(text).toMatch(/^pass {2}gateway_test\.test_a/);
    expect(text).toMatch(/gateway\.rego: 100\.0 % covered\n1 passed, 0 failed, 0 skipped\n$/);
    expect(code).toBeUndefined();
  });

  test('a failing test is located, and what it printed shown', async () => {
    const failing = `${passing}\ntest_b if {\n\tprint("why")\n\tgateway.allow with input.method as "b"\n}\n`;
    const { text, code } = await run([
      'test',
      policyFolder({ 'gateway.rego': POLICY, 'gateway_test.rego': failing }),
    ]);
    expect(text).toMatch(/fail {2}gateway_test\.test_b .*gateway_test\.rego:7\n {6}\| why\n/);
    expect(code).toBe(1);
  });

  test('no tests at all is not a success', async () => {
    expect(await run(['test', policyFolder({ 'gateway.rego': POLICY })])).toMatchObject({
      code: 1,
      text: expect.stringContaining('no tests') as string,
    });
  });
});

describe('policy fmt', () => {
  const untidy = 'package gateway\nallow if   input.method=="a"\n';

  test('--check names the files and leaves them alone', async () => {
    const path = policyFolder({ 'gateway.rego': untidy, 'tidy.rego': 'package lib\n\nx := 1\n' });
    const { text, code } = await run(['fmt', '--check', path]);
    expect(text).toBe(`${join(path, 'gateway.rego')}\n`);
    expect(code).toBe(1);
    expect(readFileSync(join(path, 'gateway.rego'), 'utf8')).toBe(untidy);
  });

  test('writes', async () => {
    const path = policyFolder({ 'gateway.rego': untidy });
    expect((await run(['fmt', path])).code).toBeUndefined();
    expect(readFileSync(join(path, 'gateway.rego'), 'utf8')).toBe(POLICY);
    expect(await run(['fmt', '--check', path])).toEqual({ text: '', code: undefined });
  });
});
