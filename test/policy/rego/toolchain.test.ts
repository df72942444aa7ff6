import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PolicyError, ToolchainError } from '../../../src/policy/errors.ts';
import { runToolchain, toolchainChecksum } from '../../../src/policy/rego/toolchain.ts';

const POLICY = `package gateway

allow if {
	input.method == "a"
}

allow if input.method == "b"
`;

describe('test', () => {
  test('results, print and coverage', async () => {
    const tests = [
      'package gateway_test\n\nimport data.gateway\n',
      'test_a if {\n\tprint("seen", 1)\n\tgateway.allow with input.method as "a"\n}\n',
      'test_wrong if gateway.allow with input.method as "c"\n',
      'todo_test_later if false\n',
    ].join('\n');
    const { results, coverage } = await runToolchain('test', {
      files: { 'gateway.rego': POLICY, 'gateway_test.rego': tests },
    });
    expect(results).toMatchObject([
      { package: 'gateway_test', name: 'test_a', outcome: 'pass', row: 5, output: 'seen 1\n' },
      { name: 'test_wrong', outcome: 'fail', file: 'gateway_test.rego', row: 10 },
      { name: 'todo_test_later', outcome: 'skip' },
    ]);
    expect(coverage).toMatchObject([{ file: 'gateway.rego', uncovered: [[7, 7]] }]);
  });

  test('a test may not call more than a policy may', async () => {
    const tests = 'package gateway_test\n\ntest_a if http.send({"url": "http://x"})\n';
    const run = runToolchain('test', { files: { 'gateway.rego': POLICY, 'gateway_test.rego': tests } });
    await expect(run).rejects.toThrow(/gateway_test\.rego:3:\d+: undefined function http\.send/);
  });
});

describe('check', () => {
  const warningsOf = async (text: string) =>
    (await runToolchain('check', { files: { 'gateway.rego': text } })).warnings;

  test('warns of an allowing rule that lists can never pass', async () => {
    const direct = 'package gateway\n\nallow if input.arguments.path == "/x"\n';
    expect(await warningsOf(direct)).toMatchObject([{ code: 'unlisted_arguments', row: 3 }]);
    const indirect = 'package gateway\n\nallow if small\n\nsmall if input.arguments.n < 5\n';
    expect(await warningsOf(indirect)).toMatchObject([{ code: 'unlisted_arguments', row: 3 }]);
    expect(await warningsOf(`${direct}\nallow if input.phase == "list"\n`)).toEqual([]);
    expect(
      await warningsOf('package gateway\n\nallow if true\n\ndeny contains "x" if input.arguments.x\n'),
    ).toEqual([]);
  });

  test('warns of what strict mode refuses', async () => {
    expect(await warningsOf('package gateway\n\nimport data.unused\n\nallow if true\n')).toMatchObject([
      { row: 3 },
    ]);
  });

  test('finds errors of tests', async () => {
    const files = {
      'gateway.rego': POLICY,
      'gateway_test.rego': 'package gateway_test\n\ntest_a if nothing(1)\n',
    };
    await expect(runToolchain('check', { files })).rejects.toThrow(/gateway_test\.rego:3/);
  });
});

test('fmt', async () => {
  const { files } = await runToolchain('fmt', {
    files: { 'a.rego': 'package gateway\nallow if   input.x==1\n' },
  });
  expect(files['a.rego']).toBe('package gateway\n\nallow if input.x == 1\n');
  await expect(runToolchain('fmt', { files: { 'a.rego': 'package\n' } })).rejects.toThrow(PolicyError);
});

test('a large request and a large answer pass whole', async () => {
  const comment = `# ${'x'.repeat(100)}\n`.repeat(20_000);
  const { files } = await runToolchain('fmt', {
    files: { 'a.rego': `package gateway\n\n${comment}\nallow if true\n` },
  });
  expect(files['a.rego']?.length).toBeGreaterThan(comment.length);
});

test('what takes too long is ended and says so', async () => {
  const tests =
    'package t\n\ntest_endless if {\n\tsome i in numbers.range(1, 20000)\n\tsome j in numbers.range(1, 20000)\n\ti * j == -1\n}\n';
  const run = runToolchain('test', { files: { 't_test.rego': tests } }, 3_000);
  await expect(run).rejects.toThrow(ToolchainError);
  await expect(run).rejects.toThrow(/3000 ms/);
});

test('the artefact is what its checksum says', () => {
  const packed = readFileSync(new URL('../../../tools/rego/regotool.wasm.br', import.meta.url));
  expect(createHash('sha256').update(packed).digest('hex')).toBe(toolchainChecksum());
});
