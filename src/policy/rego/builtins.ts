/**
 * THE table of what a policy may call: OPA's builtins that the compiled module has itself, and those the gateway gives
 * it. The compiler's capabilities are made from it, so that any other name is refused with file and line.
 * A host builtin answers exactly as OPA's evaluator, or `undefined` where OPA's has no answer, or throws (deny).
 */
import { parseRfc3339, momentOf } from './time.ts';
import { sprintf } from './sprintf.ts';
import { isSubset } from './subset.ts';
import { RegoSet, type Value } from './values.ts';

/** One evaluation: what must not change while it runs. */
export interface Evaluation {
  /** Nanoseconds since the epoch. */
  readonly now: bigint;
}

/** What a host builtin can answer; integers as bigint, since nanoseconds exceed a double. */
export type Result = boolean | string | bigint | readonly (string | bigint)[] | undefined;

export interface HostBuiltin {
  /** False: no decision of a policy that calls it is ever cached. */
  readonly deterministic: boolean;
  /** What differs from OPA's own, for docs/policy.md. */
  readonly note?: string;
  readonly call: (args: readonly Value[], evaluation: Evaluation) => Result;
}

type Call = HostBuiltin['call'];

function pure(call: Call, note?: string): HostBuiltin {
  return { deterministic: true, call, ...(note === undefined ? {} : { note }) };
}

const ZONES = 'zones by their exact IANA name (`Europe/Berlin`) or `UTC`; others fail the decision';

/** Given by the gateway. */
export const HOST_BUILTINS: Readonly<Record<string, HostBuiltin>> = {
  sprintf: pure(
    ([format, values]) =>
      typeof format === 'string' && isArray(values) ? sprintf(format, values) : undefined,
    'without `%[1]d`, `*`, the flag `#`, `%+q`, `%U`, `%O`, `%p`, `%w`, hexadecimal and binary fractions: these fail the decision',
  ),
  'strings.any_prefix_match': pure(([search, base]) =>
    anyMatch(search, base, (text, part) => text.startsWith(part)),
  ),
  'strings.any_suffix_match': pure(([search, base]) =>
    anyMatch(search, base, (text, part) => text.endsWith(part)),
  ),
  'strings.count': pure(([text, part]) =>
    typeof text === 'string' && typeof part === 'string' ? countOf(text, part) : undefined,
  ),
  'object.subset': pure(([whole, part]) => isSubset(whole, part)),
  'glob.quote_meta': pure(([text]) =>
    typeof text === 'string' ? text.replaceAll(/[*?\\[\]{}]/g, '\\$&') : undefined,
  ),
  'time.now_ns': {
    deterministic: false,
    call: (_, { now }) => now,
    note: 'the same value all through one evaluation',
  },
  'time.parse_rfc3339_ns': pure(([text]) => (typeof text === 'string' ? parseRfc3339(text) : undefined)),
  'time.date': pure(([operand]) => clockPart(operand, ['year', 'month', 'day']), ZONES),
  'time.clock': pure(([operand]) => clockPart(operand, ['hour', 'minute', 'second']), ZONES),
  'time.weekday': pure(([operand]) => momentOf(operand ?? null)?.weekday, ZONES),
};

/** Compiled into the module by OPA itself, or compiled away (`print`: shown by `policy test` only). */
export const NATIVE_BUILTINS: readonly string[] = [
  ...['eq', 'assign', 'equal', 'neq', 'gt', 'gte', 'lt', 'lte', 'print'],
  ...[
    'plus',
    'minus',
    'mul',
    'div',
    'rem',
    'abs',
    'round',
    'ceil',
    'floor',
    'numbers.range',
    'to_number',
    'format_int',
  ],
  ...['and', 'or', 'intersection', 'union', 'count', 'sum', 'product', 'max', 'min', 'sort'],
  ...['array.concat', 'array.flatten', 'array.reverse', 'array.slice'],
  ...['is_number', 'is_string', 'is_boolean', 'is_array', 'is_set', 'is_object', 'is_null', 'type_name'],
  ...['base64.encode', 'base64url.encode', 'net.cidr_contains', 'net.cidr_intersects', 'glob.match'],
  ...[
    'json.filter',
    'json.remove',
    'object.filter',
    'object.get',
    'object.keys',
    'object.remove',
    'object.union',
  ],
  ...['concat', 'contains', 'startswith', 'endswith', 'indexof', 'lower', 'upper', 'split', 'substring'],
  ...[
    'strings.replace_n',
    'strings.reverse',
    'trim',
    'trim_left',
    'trim_prefix',
    'trim_right',
    'trim_suffix',
    'trim_space',
  ],
  ...['regex.match', 'regex.is_valid', 'regex.find_all_string_submatch_n', 'walk', 'graph.reachable'],
];

/** Where a native builtin differs from OPA's evaluator at the edges, for docs/policy.md; a test holds each. */
export const NATIVE_NOTES: Readonly<Record<string, string>> = {
  'array.slice': 'undefined when a bound is written `1.0`',
  div: 'numbers of a huge size fail the decision',
  format_int: 'negative or fractional bases and numbers out of 64 bits fail the decision',
  indexof: '0 instead of undefined when the text looked for is empty',
  'net.cidr_contains': 'an IPv4 address written as IPv6 (`::ffff:10.0.0.1`) is in no IPv4 range',
};

const LENIENT = "the module's own accepts text that OPA refuses";

/** Compiled into the module too, but not given: they differ from OPA's evaluator by more than an edge. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['or', 'and', 'negate', 'xor', 'lsh', 'rsh'].map((name) => [`bits.${name}`, 'undefined for `1.0`']),
  ),
  'base64.decode': LENIENT,
  'base64.is_valid': LENIENT,
  'base64url.decode': LENIENT,
  'json.is_valid': LENIENT,
  'json.unmarshal': LENIENT,
  'json.marshal': 'writes members in no order; print values with `sprintf("%v", [x])`',
  'object.union_n': 'undefined for an empty list; use `object.union`',
  replace: 'never ends when the text looked for is empty; use `strings.replace_n({old: new}, text)`',
};

/** Every name a policy may call. */
export const BUILTIN_NAMES: readonly string[] = [
  ...NATIVE_BUILTINS,
  ...Object.keys(HOST_BUILTINS),
].toSorted();

function isArray(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

function areStrings(values: readonly (Value | undefined)[]): values is readonly string[] {
  return values.every((value) => typeof value === 'string');
}

/** A string stands for a collection of itself. */
function stringsOf(value: Value | undefined): readonly string[] | undefined {
  const items = value instanceof RegoSet ? value.items : isArray(value) ? value : [value];
  return areStrings(items) ? items : undefined;
}

function anyMatch(
  search: Value | undefined,
  base: Value | undefined,
  match: (text: string, part: string) => boolean,
): boolean | undefined {
  const [texts, parts] = [stringsOf(search), stringsOf(base)];
  if (texts === undefined || parts === undefined) return undefined;
  return texts.some((text) => parts.some((part) => match(text, part)));
}

/** Occurrences that do not overlap; of the empty string one around each code point, as in Go. */
function countOf(text: string, part: string): bigint {
  return BigInt(part === '' ? Array.from(text).length + 1 : text.split(part).length - 1);
}

function clockPart(
  operand: Value | undefined,
  members: readonly ('year' | 'month' | 'day' | 'hour' | 'minute' | 'second')[],
): readonly bigint[] | undefined {
  const moment = momentOf(operand ?? null);
  return moment === undefined ? undefined : members.map((member) => BigInt(moment[member]));
}
