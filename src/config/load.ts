/**
 * Loads gateway.yaml: read → parse → leave out disabled servers → resolve references → check → build → freeze.
 * Nothing of a file with a problem is used.
 */
import { dirname, resolve } from 'node:path';
import { build } from './build.ts';
import type { Config } from './config.ts';
import { parseSource } from './document.ts';
import { ConfigError, pathText, type Finding } from './errors.ts';
import { explain, toFindings } from './findings.ts';
import { ignoredMembers, withoutDisabled } from './host-servers.ts';
import { literalSecrets } from './literal-secrets.ts';
import { readText, Unreadable } from './read.ts';
import { schema } from './schema.ts';
import { resolveReferences } from './secrets.ts';

/** Shorter texts are no secrets, and taking them out would spoil the log. */
const SHORTEST_SECRET = 4;

export interface Loaded {
  readonly config: Config;
  /** Texts that must never be written: what came from variables and secret files, and literal credentials. */
  readonly secrets: readonly string[];
}

/** Rejects with a `ConfigError` that lists every problem of the file. Relative `file` counts from the current folder. */
export async function loadConfig(file: string, env = process.env): Promise<Loaded> {
  const path = resolve(file);
  const dir = dirname(path);
  const source = parseSource(file, readSource(file, path));
  const { file: active, warnings } = withoutDisabled(source.value);
  const resolved = resolveReferences(active, { dir, env });
  const parsed = schema.safeParse(resolved.value, { error: explain });

  const findings = [
    ...resolved.findings,
    ...elsewhere(resolved.findings, parsed.error ? toFindings(parsed.error.issues) : []),
  ];
  if (!parsed.success || findings.length > 0) throw new ConfigError(file, source.locate(findings));

  const config = build(parsed.data, { file: path, dir }, [
    ...warnings,
    ...ignoredMembers(active),
    ...resolved.warnings,
  ]);
  const secrets = new Set([...resolved.secrets, ...config.upstreams.flatMap(literalSecrets)]);
  return { config: freeze(config), secrets: [...secrets].filter((text) => text.length >= SHORTEST_SECRET) };
}

function readSource(file: string, path: string): string {
  try {
    return readText(path).text;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new ConfigError(file, [{ line: 0, column: 0, path: '', message: error.message }]);
  }
}

/** Findings not about a value whose reference has failed already: what is wrong with that text says nothing. */
function elsewhere(failed: readonly Finding[], findings: readonly Finding[]): Finding[] {
  const known = new Set(failed.map(({ path }) => pathText(path)));
  return findings.filter(({ path }) => !known.has(pathText(path)));
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
