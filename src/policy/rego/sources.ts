/** Finds and reads what a policy is made of: *.rego, *_test.rego, and data.json or data.yaml beside them. */
import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { PolicyError, type Problem } from '../errors.ts';
import type { DataFile } from './toolchain.ts';

const DATA_FILES: ReadonlySet<string> = new Set(['data.json', 'data.yaml', 'data.yml']);

export interface Sources {
  /** File name for messages → Rego text, tests left out. */
  readonly policies: Readonly<Record<string, string>>;
  readonly tests: Readonly<Record<string, string>>;
  readonly data: readonly DataFile[];
  /** SHA-256 (hex) over the policies and data with their names below the roots: the same on every machine. */
  readonly digest: string;
}

interface Found {
  readonly path: string;
  /** The policy path it lies under, and its place below that. */
  readonly root: number;
  readonly below: string;
}

/** Reads the files under `paths` (folders or single files). Throws PolicyError when a path is missing or holds no policy. */
export async function readSources(paths: readonly string[]): Promise<Sources> {
  const found = await findAll(paths);
  const texts = await Promise.all(
    found.map(async (file) => ({ ...file, text: await readFile(file.path, 'utf8') })),
  );
  const policies = texts.filter(({ path }) => isPolicy(path));
  if (policies.length === 0)
    throw new PolicyError([noPolicy(`no *.rego file in ${paths.map(shown).join(', ') || 'policy.paths'}`)]);
  const data = texts.filter(({ path }) => DATA_FILES.has(basename(path)));
  const digest = createHash('sha256');
  for (const { root, below, text } of [...policies, ...data])
    digest.update(JSON.stringify([root, below, text]));
  return {
    policies: byName(policies),
    tests: byName(texts.filter(({ path }) => isTest(path))),
    data: data.map(({ path, below, text }) => ({ file: shown(path), path: folders(below), text })),
    digest: digest.digest('hex'),
  };
}

function noPolicy(what: string): Problem {
  return {
    code: 'no_policy',
    message: `${what}: write policies/gateway.rego, or say \`policy: { mode: off }\` to allow every call`,
  };
}

function isTest(path: string): boolean {
  return path.endsWith('_test.rego');
}

function isPolicy(path: string): boolean {
  return path.endsWith('.rego') && !isTest(path);
}

function byName(files: readonly { readonly path: string; readonly text: string }[]): Record<string, string> {
  return Object.fromEntries(files.map(({ path, text }) => [shown(path), text]));
}

/** As a terminal or editor in this folder links it. */
function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near === '' || near.startsWith(`..${sep}`) ? path : near;
}

function folders(below: string): string[] {
  const folder = dirname(below);
  return folder === '.' ? [] : folder.split(sep);
}

async function findAll(paths: readonly string[]): Promise<Found[]> {
  const seen = new Set<string>();
  const found: Found[] = [];
  for (const [root, path] of paths.entries()) {
    for (const file of await find(resolve(path), root, '', seen)) found.push(file);
  }
  return found.toSorted((a, b) => a.root - b.root || (a.below < b.below ? -1 : 1));
}

/** Each file once, however many paths or links lead to it. Hidden names are skipped: mounted volumes keep copies there. */
async function find(path: string, root: number, below: string, seen: Set<string>): Promise<Found[]> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) throw new PolicyError([noPolicy(`${shown(path)} does not exist`)]);
  const real = await realpath(path);
  if (seen.has(real)) return [];
  seen.add(real);
  if (!info.isDirectory()) return [{ path, root, below: below === '' ? basename(path) : below }];
  const names = (await readdir(path)).filter((name) => !name.startsWith('.'));
  const nested = await Promise.all(
    names.map((name) => find(join(path, name), root, join(below, name), seen)),
  );
  return nested.flat();
}
