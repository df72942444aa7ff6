/** Resolves references to variables and files, and gathers the secrets. The only reader of variables and secret files. */
import { resolve } from 'node:path';
import { pathText, type Finding, type Path } from './errors.ts';
import { readText, Unreadable } from './read.ts';

/** Where references are looked up. */
export interface Scope {
  /** Folder of the configuration file. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Resolved {
  readonly value: unknown;
  /** Every value that came out of a variable or a file. */
  readonly secrets: ReadonlySet<string>;
  readonly findings: readonly Finding[];
  readonly warnings: readonly string[];
}

/** What a reference stands for, or why it stands for nothing. */
type Reading =
  { readonly text: string; readonly secret?: true; readonly warning?: string } | { readonly problem: string };

type Kind = readonly [
  pattern: RegExp,
  read: (groups: readonly (string | undefined)[], scope: Scope) => Reading,
];

const KINDS: readonly Kind[] = [
  [/^workspaceFolder$/, (_groups, { dir }) => ({ text: dir })],
  [/^file:(.+)$/s, ([path = ''], { dir }) => readSecret(path, resolve(dir, path))],
  [
    /^input:/,
    () => ({ problem: 'the gateway cannot ask for an ${input:…}; use ${env:NAME} or ${file:/path}' }),
  ],
  [
    /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s,
    ([name = '', fallback], { env }) => readVariable(name, fallback, env),
  ],
];

const FORMS = 'write ${env:NAME}, ${env:NAME:-default} or ${file:/path}, and $${ for the characters "${"';

/** Escaped `$${`, a reference, or the beginning of one that has no end. */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}|\$\{/g;

function readVariable(name: string, fallback: string | undefined, env: Scope['env']): Reading {
  if (fallback?.includes('${') === true) return { problem: 'a default cannot hold another reference' };
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined && value !== '') return { text: value, secret: true };
  if (fallback !== undefined) return { text: fallback };
  return { problem: `the environment variable ${name} is ${value === undefined ? 'not set' : 'empty'}` };
}

function readSecret(written: string, path: string): Reading {
  try {
    const { text, stats } = readText(path);
    const value = text.replace(/\r?\n$/, '');
    if (value === '') return { problem: `the file ${written} is empty` };
    const open = process.platform !== 'win32' && (stats.mode & 0o004) !== 0;
    const warning = `every user of this machine can read ${written}; chmod o-r takes that away`;
    return { text: value, secret: true, ...(open ? { warning } : {}) };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: `${written}: ${error.message}` };
    throw error;
  }
}

function lookUp(reference: string, scope: Scope): Reading {
  for (const [pattern, read] of KINDS) {
    const groups = pattern.exec(reference);
    if (groups !== null) return read(groups.slice(1), scope);
  }
  return { problem: `this is no reference; ${FORMS}` };
}

/** A copy of `value` in which every text has its references replaced; texts with a problem are left as written. */
export function resolveReferences(value: unknown, scope: Scope): Resolved {
  const secrets = new Set<string>();
  const findings: Finding[] = [];
  const warnings: string[] = [];

  function expand(text: string, path: Path): string {
    const expanded = text.replace(REFERENCE, (match, reference: string | undefined) => {
      if (match === '$${') return '${';
      const reading =
        reference === undefined ? { problem: `"\${" without "}"; ${FORMS}` } : lookUp(reference, scope);
      if ('problem' in reading) {
        findings.push({ path, message: reading.problem });
        return match;
      }
      if (reading.secret) secrets.add(reading.text);
      if (reading.warning !== undefined) warnings.push(`${pathText(path)}: ${reading.warning}.`);
      return reading.text;
    });
    if (expanded.includes('\0')) findings.push({ path, message: 'holds a NUL character' });
    return expanded;
  }

  function walk(node: unknown, path: Path): unknown {
    if (typeof node === 'string') return expand(node, path);
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, index]));
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item, [...path, key])]));
  }

  return { value: walk(value, []), secrets, findings, warnings };
}
