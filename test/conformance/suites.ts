/** The official conformance suite as a child process: what is run, and what each check came to. */
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../e2e/kit.ts';

export type SuiteId = keyof typeof SUITES;

interface Suite {
  readonly title: string;
  /** Folder under node_modules; two versions stand side by side. */
  readonly package: string;
  readonly select: readonly string[];
}

/** By the revision whose scenarios they run. */
export const SUITES = {
  '0.1.16': {
    title: 'conformance 0.1.16, suite "active"',
    package: 'conformance-legacy',
    select: ['--suite', 'active'],
  },
  '2025-11-25': {
    title: 'conformance 0.2.0-alpha.12, requirements of 2025-11-25',
    package: 'conformance',
    select: ['--requirements', '2025-11-25'],
  },
  '2026-07-28': {
    title: 'conformance 0.2.0-alpha.12, requirements of 2026-07-28',
    package: 'conformance',
    select: ['--requirements', '2026-07-28'],
  },
} satisfies Record<string, Suite>;

export const SUITE_IDS = Object.keys(SUITES) as SuiteId[];

/** Worst last; `INFO` only tells what happened. */
const STATUSES = ['INFO', 'SUCCESS', 'SKIPPED', 'WARNING', 'FAILURE'] as const;
export type Status = (typeof STATUSES)[number];

/** Scenario → check → what it came to; a check that was made more than once counts as its worst. */
export type Results = ReadonlyMap<string, ReadonlyMap<string, Status>>;

interface Check {
  readonly id: string;
  readonly status: string;
}

/** Runs one suite against a server. @throws Error with the suite's last words when it left no results. */
export async function runSuite(id: SuiteId, url: string): Promise<Results> {
  const suite: Suite = SUITES[id];
  const dir = mkdtempSync(join(tmpdir(), 'conformance-'));
  const main = join(ROOT, 'node_modules', suite.package, 'dist/index.js');
  const said = await run([main, 'server', '--url', url, ...suite.select, '-o', dir], dir);
  const results = readResults(dir);
  rmSync(dir, { recursive: true, force: true });
  if (results.size > 0) return results;
  throw new Error(`${suite.title} left no results:\n${said.slice(-2_000)}`);
}

function run(args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(Buffer.concat(said).toString('utf8')));
  });
}

/** The suite writes `server-<scenario>-<time>/checks.json`. */
export function readResults(dir: string): Results {
  const results = new Map<string, Map<string, Status>>();
  for (const file of globSync('**/checks.json', { cwd: dir })) {
    const scenario = basename(dirname(file))
      .replace(/^server-/, '')
      .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    const checks = results.get(scenario) ?? new Map<string, Status>();
    results.set(scenario, checks);
    for (const { id, status } of JSON.parse(readFileSync(join(dir, file), 'utf8')) as Check[])
      if (isStatus(status)) checks.set(id, worse(checks.get(id), status));
  }
  return results;
}

const isStatus = (status: string): status is Status => (STATUSES as readonly string[]).includes(status);

const worse = (one: Status = 'INFO', other: Status): Status =>
  STATUSES.indexOf(one) > STATUSES.indexOf(other) ? one : other;

/** The scenarios that a server of the revision must pass; undefined where no revision says so. */
export function requiredScenarios(id: SuiteId): ReadonlySet<string> | undefined {
  const file = join(ROOT, 'node_modules/conformance/requirements', `${id}.yaml`);
  if (!existsSync(file)) return undefined;
  return new Set((parse(readFileSync(file, 'utf8')) as { server: string[] }).server);
}
