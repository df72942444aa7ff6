/** `gatehouse policy check | test | fmt`: what an author of policies needs before the gateway loads them. */
import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { formatProblem, ToolchainError } from '../policy/errors.ts';
import { readSources, type Sources } from '../policy/rego/sources.ts';
import { type FileCoverage, runToolchain, type TestResult } from '../policy/rego/toolchain.ts';
import { EnvironmentError, EXIT } from './exit.ts';

/** Where the commands look without arguments, and where their text goes. */
export interface PolicyContext {
  /** The policy paths of the configuration, absolute. Asked only when none are given as arguments. */
  readonly paths: () => Promise<readonly string[]>;
  readonly print: (text: string) => void;
}

type Action = (
  sources: Sources,
  print: PolicyContext['print'],
  options: { readonly check?: boolean },
) => Promise<boolean>;

/** Adds the commands to `program`. Exit codes: 0 fine, 1 the policy is wrong or a test fails, 3 the toolchain cannot run. */
export function policyCommands(program: Command, context: PolicyContext = fromConfig(program)): void {
  const policy = program.command('policy').description('check, test and format policies');
  const add = (name: string, description: string, action: Action): Command =>
    policy
      .command(`${name} [paths...]`)
      .description(description)
      .action(async (paths: string[], options: { check?: boolean }) => {
        const sources = await readSources(paths.length > 0 ? paths : await context.paths());
        const ok = await action(sources, context.print, options).catch(asEnvironmentError);
        if (!ok) process.exitCode = EXIT.wrongInput;
      });
  add('check', 'find every error, and what is only suspicious', check);
  add('test', 'run the test_ rules of *_test.rego files and report coverage', test);
  add('fmt', 'write every file in the standard format', format).option(
    '--check',
    'only name the files that would change',
  );
}

function fromConfig(program: Command): PolicyContext {
  return {
    paths: async () =>
      (await loadConfig(program.opts<{ config?: string }>().config ?? 'gateway.yaml')).config.policy.paths,
    print: (text) => void process.stdout.write(text),
  };
}

function asEnvironmentError(error: unknown): never {
  throw error instanceof ToolchainError ? new EnvironmentError(error.message, { cause: error }) : error;
}

const check: Action = async ({ policies, tests, data }, print) => {
  const { warnings } = await runToolchain('check', { files: { ...policies, ...tests }, data });
  for (const warning of warnings) print(`warning: ${formatProblem(warning)}\n`);
  print(
    `${count(Object.keys(policies).length, 'policy file')}, ${count(Object.keys(tests).length, 'test file')}: no errors\n`,
  );
  return true;
};

const test: Action = async ({ policies, tests, data }, print) => {
  const { results, coverage } = await runToolchain('test', { files: { ...policies, ...tests }, data });
  for (const result of results) print(testLine(result));
  for (const file of coverage) print(coverageLine(file));
  const failed = results.filter(({ outcome }) => outcome === 'fail' || outcome === 'error').length;
  const passed = results.filter(({ outcome }) => outcome === 'pass').length;
  if (results.length === 0) print('no tests: name rules test_… in files ending in _test.rego\n');
  else print(`${passed} passed, ${failed} failed, ${results.length - passed - failed} skipped\n`);
  return failed === 0 && results.length > 0;
};

function testLine({
  outcome,
  package: pkg,
  name,
  file,
  row,
  milliseconds,
  error,
  output,
}: TestResult): string {
  const head = `${outcome.padEnd(5)} ${pkg}.${name} (${milliseconds.toFixed(1)} ms)`;
  const detail = outcome === 'pass' ? '' : `  ${file}:${row}${error === undefined ? '' : `: ${error}`}`;
  const printed = (output ?? '').split('\n').filter((line) => line !== '');
  return [head + detail, ...printed.map((line) => `      | ${line}`), ''].join('\n');
}

function coverageLine({ file, percent, uncovered }: FileCoverage): string {
  const ranges = uncovered.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
  return `${file}: ${percent.toFixed(1)} % covered${ranges.length === 0 ? '' : `, not lines ${ranges.join(', ')}`}\n`;
}

const format: Action = async ({ policies, tests }, print, options) => {
  const { files } = await runToolchain('fmt', { files: { ...policies, ...tests } });
  const changed: string[] = [];
  for (const [file, text] of Object.entries(files)) {
    if ((await readFile(file, 'utf8')) === text) continue;
    changed.push(file);
    if (options.check !== true) await writeFile(file, text);
  }
  for (const file of changed) print(`${file}\n`);
  return options.check !== true || changed.length === 0;
};

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
