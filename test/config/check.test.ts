import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { checkCommand } from '../../src/cli/check.ts';
import { ConfigError } from '../../src/config/errors.ts';
import { dir } from './kit.ts';

/** Runs `gatehouse …args` as main.ts does, with what it writes. */
async function run(...args: string[]): Promise<string> {
  let written = '';
  const write = (text: string): void => void (written += text);
  const program = new Command('gatehouse').option(
    '-c, --config <file>',
    'configuration file',
    'gateway.yaml',
  );
  program.configureOutput({ writeOut: write, writeErr: write });
  checkCommand(program);
  await program.parseAsync(args, { from: 'user' });
  return written.replaceAll(`${dir}/`, '');
}

const good = join(dir, 'good.yaml');
writeFileSync(
  good,
  'version: 1\nupstreams: { a: { command: x }, b: { url: "https://b.example" } }\naudit: { sinks: [] }\n',
);
const bad = join(dir, 'bad.yaml');
writeFileSync(bad, 'version: 1\nlimts: {}\nauthh: {}\n');

const SUMMARY = `good.yaml is valid: 2 upstreams (a, b); policy enforce; anyone on this machine may call.
warning: audit.sinks is empty: no call is recorded.
`;

test.each([
  ['as an argument', ['check', good]],
  ['as the option of the command', ['check', '--config', good]],
  ['as the option of the program', ['--config', good, 'check']],
])('a valid file %s', async (_where, args) => {
  expect(await run(...args)).toBe(SUMMARY);
});

test('a bad file rejects with every problem', async () => {
  const error: unknown = await run('check', bad).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as Error).message.split('\n')).toHaveLength(2);
});
