import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Policy } from '../../src/policy/policy.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { runToolchain } from '../../src/policy/rego/toolchain.ts';
import { inputOf, settings, STATE } from './policies.ts';

const FOLDER = join(import.meta.dirname, '../../policies');
const files = Object.fromEntries(
  ['gateway.rego', 'gateway_test.rego'].map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
);

test('its own tests pass and cover it whole', async () => {
  const { results, coverage } = await runToolchain('test', { files });
  expect(results.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  expect(coverage).toEqual([{ file: 'gateway.rego', percent: 100, uncovered: [] }]);
});

test('check has nothing to say, and the format is the standard one', async () => {
  expect((await runToolchain('check', { files })).warnings).toEqual([]);
  expect((await runToolchain('fmt', { files })).files).toEqual(files);
});

describe('as the gateway runs it', () => {
  let policy: Policy;
  beforeAll(async () => {
    policy = await loadPolicy(settings([FOLDER]), { stateDir: STATE });
    return () => policy.close();
  });

  const cases: readonly (readonly [string, Parameters<typeof inputOf>[0], boolean])[] = [
    ['anyone local calls get-env', { kind: 'anonymous', upstream: 'everything', tool: 'get-env' }, true],
    [
      'anyone local wipes the memory',
      { kind: 'anonymous', upstream: 'memory', tool: 'delete_entities' },
      false,
    ],
    ['an admin wipes the memory', { roles: ['admin'], upstream: 'memory', tool: 'delete_entities' }, true],
    ['a reader reads', { roles: ['reader'], tool: 'read_file', arguments: { path: 'x' } }, true],
    ['a reader writes', { roles: ['reader'], tool: 'write_file', arguments: { path: 'x' } }, false],
    ['a key without a role reads', { tool: 'read_file' }, false],
    ['an admin climbs out', { roles: ['admin'], tool: 'write_file', arguments: { path: '../x' } }, false],
    ['an admin writes', { roles: ['admin'], tool: 'write_file', arguments: { path: 'x' } }, true],
    ['an admin lists what climbs', { roles: ['admin'], tool: 'write_file', phase: 'list' }, true],
  ];

  test.each(cases)('%s', async (_, facts, allow) => {
    expect((await policy.decide(inputOf(facts), 'a')).allow).toBe(allow);
  });

  test('decisions are cached whatever the text that is written', async () => {
    const write = (content: string) =>
      policy.decide(
        inputOf({ roles: ['admin'], tool: 'write_file', arguments: { path: 'a', content } }),
        'a',
      );
    await write('one');
    expect(write('two')).toMatchObject({ allow: true, tags: ['write'], mask: ['content'] });
  });
});
