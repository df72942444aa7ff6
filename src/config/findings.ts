/** Turns the schema's issues into findings an operator can act on. No text quotes a value. */
import type { z } from 'zod';
import type { Finding, Path } from './errors.ts';
import { KEY_HINTS, VALUE_HINTS } from './later.ts';
import { nearest } from './nearest.ts';

type RawIssue = z.core.$ZodRawIssue;
type Explain = {
  readonly [C in z.core.$ZodIssue['code']]?: (issue: Extract<RawIssue, { code: C }>) => string;
};

const REQUIRED = 'required';

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'a map',
  record: 'a map',
  null: 'nothing',
};

/** Words for a value that arrived where another kind was expected. */
function kindOf(value: unknown): string {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return KINDS[kind] ?? kind;
}

const QUOTING: Readonly<Record<string, string>> = {
  'text/a number': '; put it in quotes',
  'text/true or false': '; put it in quotes',
  'a number/text': '; write it without quotes',
  'a whole number/text': '; write it without quotes',
  'true or false/text': '; write true or false, without quotes',
};

function mismatch(expected: string, value: unknown): string {
  if (value === undefined) return REQUIRED;
  const [wanted, got] = [KINDS[expected] ?? expected, kindOf(value)];
  return wanted === got
    ? `expected ${wanted}`
    : `expected ${wanted}, got ${got}${QUOTING[`${wanted}/${got}`] ?? ''}`;
}

function choice(options: readonly unknown[], value: unknown): string {
  const list = options.map((option) => JSON.stringify(option)).join(', ');
  const expected = options.length === 1 ? `expected ${list}` : `expected one of ${list}`;
  if (value === undefined) return `${REQUIRED}: ${expected}`;
  const hint = typeof value === 'string' ? VALUE_HINTS[value] : undefined;
  return hint === undefined ? expected : `${hint}; ${expected}`;
}

/** The value that picks the branch of a union, such as `type`. */
function chosen({ input, discriminator }: RawIssue): unknown {
  return (input as Record<string, unknown>)[String(discriminator)];
}

function bound(which: 'least' | 'most', origin: string, limit: number | bigint): string {
  if (origin === 'array' || origin === 'record' || origin === 'object')
    return limit === 1 ? 'list at least one' : `list at ${which} ${limit}`;
  if (origin === 'string') return which === 'least' ? 'must not be empty' : `longer than ${limit} characters`;
  return `must be at ${which} ${limit}`;
}

const EXPLAIN: Explain = {
  invalid_type: ({ expected, input }) => mismatch(expected, input),
  invalid_value: ({ values, input }) => choice(values, input),
  invalid_union: (issue) => choice(issue['options'] as unknown[], chosen(issue)),
  invalid_format: ({ format }) => (format === 'url' ? 'expected an http or https URL' : 'has the wrong form'),
  too_small: ({ origin, minimum }) => bound('least', origin, minimum),
  too_big: ({ origin, maximum }) => bound('most', origin, maximum),
  // Not a sentence yet: the names known at this place, which only the schema can tell. `unknownKeys` reads them.
  unrecognized_keys: ({ inst }) => Object.keys((inst as unknown as z.ZodObject).shape).join(' '),
};

/** The error map to parse with. */
export function explain(issue: RawIssue): string | undefined {
  return (EXPLAIN[issue.code] as ((issue: RawIssue) => string) | undefined)?.(issue);
}

interface UnknownKey extends Finding {
  readonly meant: string | undefined;
}

function unknownKeys({ path, keys, message }: z.core.$ZodIssueUnrecognizedKeys): UnknownKey[] {
  const known = message.split(' ');
  return keys.map((key) => {
    const meant = nearest(key, known);
    const hint = Object.hasOwn(KEY_HINTS, key) ? KEY_HINTS[key] : undefined;
    const advice = hint ?? (meant === undefined ? '' : `did you mean "${meant}"?`);
    return { path: [...path, key], at: 'key', message: `unknown key${advice && '; '}${advice}`, meant };
  });
}

/** A required key that is only mistyped is reported once, as the unknown key. */
function isMistyped({ path, message }: Finding, unknown: readonly UnknownKey[]): boolean {
  const same = (parent: Path) =>
    parent.length === path.length && parent.every((part, i) => i === path.length - 1 || part === path[i]);
  return message.startsWith(REQUIRED) && unknown.some((key) => same(key.path) && key.meant === path.at(-1));
}

/** One finding for each thing to correct. */
export function toFindings(issues: readonly z.core.$ZodIssue[]): Finding[] {
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(issue) : []));
  const others = issues
    .filter((issue) => issue.code !== 'unrecognized_keys')
    .map((issue): Finding =>
      issue.code === 'invalid_key'
        ? { path: issue.path, at: 'key', message: issue.issues[0]?.message ?? 'not a name' }
        : { path: issue.path, message: issue.message },
    );
  return [...unknown, ...others.filter((finding) => !isMistyped(finding, unknown))];
}
