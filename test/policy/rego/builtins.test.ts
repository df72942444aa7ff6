import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  BUILTIN_NAMES,
  HOST_BUILTINS,
  LEFT_OUT,
  NATIVE_BUILTINS,
  NATIVE_NOTES,
} from '../../../src/policy/rego/builtins.ts';
import { runToolchain } from '../../../src/policy/rego/toolchain.ts';
import { compareAnswers, type Comparison } from './differential.ts';

const raw = JSON as unknown as { rawJSON(text: string): unknown };

/** Values of every type, given through the input so that the compiler cannot object to a wrong one. */
const VALUES: readonly unknown[] = [
  ...[null, true, 0, 1, -1, 1.5, 'a', '', 'abc', 'aXbXc', 'ébé😀', '*?[a]{b}\\x'],
  ...[
    ['a'],
    ['a', 1],
    [],
    ['ab', 'X'],
    { a: 1 },
    {},
    { a: { b: 1, c: [1, 2] } },
    { a: { b: 1 } },
    [1, 2, 3],
    [2, 3],
    [1, 3],
  ],
  ...[raw.rawJSON('12345678901234567890'), raw.rawJSON('1.0'), raw.rawJSON('1e2')],
];

/** The questions that the two answer differently. */
async function differences(questions: readonly string[], input?: unknown): Promise<Comparison[]> {
  const compared = await compareAnswers(questions, input);
  return compared.filter(({ opa, gateway }) => !isDeepStrictEqual(opa, gateway));
}

function pairs(name: string): string[] {
  const indexes = VALUES.keys().toArray();
  return indexes.flatMap((a) => indexes.map((b) => `${name}(i.v[${a}], i.v[${b}])`));
}

describe('host builtins answer as OPA does', () => {
  test.each(['strings.any_prefix_match', 'strings.any_suffix_match', 'strings.count', 'object.subset'])(
    '%s, of any two values',
    async (name) => {
      expect(await differences(pairs(name), { v: VALUES })).toEqual([]);
    },
    60_000,
  );

  test('sets and nested members', async () => {
    expect(
      await differences([
        'strings.any_prefix_match("abc", {"x", "ab"})',
        'strings.any_prefix_match({"q", "abc"}, {"x", "ab"})',
        'strings.any_suffix_match(set(), {"x"})',
        'strings.any_suffix_match({"x"}, set())',
        'object.subset({1, 2, 3}, {1, 2})',
        'object.subset({1, 2}, {1, 4})',
        'object.subset([1, 1], {1, 2})',
        'object.subset([1, 2], set())',
        'object.subset([], set())',
        'object.subset({"a": {1, 2}}, {"a": {1}})',
        'object.subset({"a": [1, 2, 3]}, {"a": [2, 3]})',
        'object.subset({"a": [1, 2]}, {"a": {1}})',
        'object.subset({"a": 1.0}, {"a": 1})',
        'object.subset([1, 2, 1, 2, 3], [1, 2, 3])',
        'object.subset({[1]: 2}, {[1]: 2})',
      ]),
    ).toEqual([]);
  });

  test('of any one value', async () => {
    const names = ['glob.quote_meta', 'time.parse_rfc3339_ns', 'time.date', 'time.clock', 'time.weekday'];
    expect(
      await differences(
        names.flatMap((name) => VALUES.map((_, index) => `${name}(i.v[${index}])`)),
        { v: VALUES },
      ),
    ).toEqual([]);
  });

  test('time.parse_rfc3339_ns', async () => {
    const dates = [
      '2023-11-14',
      '2023-02-29',
      '2024-02-29',
      '2023-13-01',
      '2023-00-01',
      '2023-01-00',
      '0000-01-01',
      '9999-12-31',
    ];
    const clocks = [
      '22:13:20',
      '24:00:00',
      '23:59:60',
      '2:13:20',
      '22:13',
      '22:13:20.5',
      '22:13:20,123456789123',
      '22:13:20.',
    ];
    const zones = ['Z', 'z', '', '+01:00', '-23:59', '+24:00', '+24:60', '+25:00', '+00:61', '+0530'];
    const edges = [
      '2262-04-11T23:47:16.854775807Z',
      '2262-04-11T23:47:16.854775808Z',
      '1677-09-21T00:12:43.145224192Z',
      '1677-09-21T00:12:43.145224191Z',
    ];
    const texts = [
      ...dates.map((date) => `${date}T22:13:20Z`),
      ...clocks.map((clock) => `2023-11-14T${clock}Z`),
      ...zones.map((zone) => `2023-11-14T22:13:20${zone}`),
      ...edges,
      ...['2023-11-14t22:13:20Z', '2023-11-14 22:13:20Z', ' 2023-11-14T22:13:20Z', '+2023-11-14T22:13:20Z'],
    ];
    expect(await differences(texts.map((text) => `time.parse_rfc3339_ns(${JSON.stringify(text)})`))).toEqual(
      [],
    );
  });

  test('dates and clocks in time zones', async () => {
    const zones = [
      '',
      'UTC',
      'Europe/Berlin',
      'Asia/Kolkata',
      'America/New_York',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'Asia/Kathmandu',
    ];
    // Either side of the changes of clock in 2024, a leap day, the ends of the range.
    const moments = [
      '0',
      '1700000000123456789',
      '951782400000000000',
      '1711846800000000000',
      '1711846799999999999',
      '1729990800000000000',
      '9223372036854775807',
    ];
    const questions = ['date', 'clock', 'weekday'].flatMap((part) =>
      zones.flatMap((zone) => moments.map((ns) => `time.${part}([${ns}, ${JSON.stringify(zone)}])`)),
    );
    expect(
      await differences([
        ...questions,
        'time.date(-1)',
        'time.clock(-9223372036854775808)',
        'time.clock(9223372036854775808)',
        'time.date(1.7e18)',
        'time.date(1.5)',
        'time.date(1700000000000000000.5)',
      ]),
    ).toEqual([]);
  });

  test('a time zone that is not certain fails instead of telling a wrong hour', async () => {
    const zones = ['"Local"', '"europe/berlin"', '"Nowhere/City"', '"+01:00"'];
    for (const { gateway } of await compareAnswers(zones.map((zone) => `time.clock([0, ${zone}])`)))
      expect(gateway).toBe('failed');
  });

  test('time.now_ns stands still within one evaluation', async () => {
    const [answer] = await compareAnswers([
      '[x | some _ in numbers.range(1, 2000); x := time.now_ns() - time.now_ns(); x != 0]',
    ]);
    expect(answer?.gateway).toEqual({ value: [] });
  });
});

describe('native builtins', () => {
  test('every one is in the module itself', async () => {
    // `some` and `every` need no name; a call through a rule that is never true still has to be compiled.
    const { builtins } = await runToolchain('compile', { files: { 'all.rego': callsOfAll() } });
    const compiled = new Set(builtins.map((name) => name.replace(/^internal\..*/, '')));
    expect(NATIVE_BUILTINS.filter((name) => !compiled.has(name) && name !== 'assign')).toEqual([]);
  });

  test('answer as OPA does, but for the edges that are documented', async () => {
    const exact = [
      'equal',
      'neq',
      'lt',
      'lte',
      'gt',
      'gte',
      'startswith',
      'endswith',
      'contains',
      'concat',
      'split',
      'trim',
      'regex.match',
    ];
    const indexes = [...Array(14).keys()];
    const questions = exact.flatMap((name) =>
      indexes.map((a) => `${name}(i.v[${a}], i.v[${(a * 5 + 3) % 14}])`),
    );
    expect(
      await differences(questions, {
        v: VALUES.filter((value) => typeof value !== 'object' || value === null).concat(VALUES),
      }),
    ).toEqual([]);
  });

  test.each([
    ['array.slice', 'array.slice([1, 2], 0, 1.0)'],
    ['indexof', 'indexof("abc", "")'],
    ['net.cidr_contains', 'net.cidr_contains("10.0.0.0/8", "::ffff:10.0.0.1")'],
  ])('the documented edge of %s is still there', async (name, question) => {
    expect(NATIVE_NOTES).toHaveProperty([name]);
    const [{ opa, gateway } = { opa: 'undefined', gateway: 'undefined' }] = await compareAnswers([question]);
    expect(gateway).not.toEqual(opa);
  });
});

test('the table has no name twice, and none that is left out', () => {
  expect(new Set(BUILTIN_NAMES).size).toBe(BUILTIN_NAMES.length);
  expect(BUILTIN_NAMES.filter((name) => name in LEFT_OUT)).toEqual([]);
  expect(Object.keys(HOST_BUILTINS).filter((name) => NATIVE_BUILTINS.includes(name))).toEqual([]);
});

/** One call of each native builtin, with arguments that pass the type checker. */
function callsOfAll(): string {
  const infix: Readonly<Record<string, string>> = {
    eq: 'input.a = 1',
    assign: 'x := 1',
    print: 'print(1)',
    walk: 'walk(input.a, x)',
  };
  const args: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      ['array.slice', 'object.get', 'substring', 'glob.match', 'regex.find_all_string_submatch_n'].map(
        (name) => [name, 'input.a, input.b, input.c'],
      ),
    ),
  };
  const unary = new Set(
    'abs round ceil floor to_number count sum product max min sort array.flatten array.reverse is_number is_string is_boolean is_array is_set is_object is_null type_name base64.encode base64url.encode object.keys lower upper strings.reverse trim_space regex.is_valid'.split(
      ' ',
    ),
  );
  const sets: Readonly<Record<string, string>> = {
    and: '{input.a}, {1}',
    or: '{input.a}, {1}',
    intersection: '{{input.a}}',
    union: '{{input.a}}',
  };
  const calls = NATIVE_BUILTINS.map((name) => {
    const call =
      infix[name] ??
      `${name}(${sets[name] ?? args[name] ?? (unary.has(name) ? 'input.a' : 'input.a, input.b')})`;
    return `allow if {\n\t${name === 'assign' ? 'x := input.a\n\tx' : call}\n}\n`;
  });
  return `package gateway\n\n${calls.join('\n')}`;
}
