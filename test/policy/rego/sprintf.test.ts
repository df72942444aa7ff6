import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { compareAnswers, type Comparison } from './differential.ts';

const VERBS = '%s %d %v %q %f %F %g %G %e %E %x %X %t %c %b %o %T %z %!'.split(' ');
const SHAPES = [
  '%5d',
  '%-5d|',
  '%05d',
  '%+d',
  '% d',
  '%.2f',
  '%8.3f|',
  '%08.3f',
  '%-8.2f|',
  '%+.1e',
  '%.0f',
  '%.3g',
  '%.10g',
  '%6s|',
  '%-6s|',
  '%06s',
  '%.2s',
  '%.2q',
  '%6.2v|',
  '%.0d',
  '%.3d',
  '%5t',
  '%+v',
  '%12g|',
  '%.20f',
];
const VALUES = [
  ...[
    '1',
    '0',
    '-1',
    '65',
    '128512',
    '-0',
    '1.0',
    '1.5',
    '-2.5',
    '0.5',
    '100000',
    '1000000.0',
    '1e21',
    '1e400',
    '1e-7',
    '123456789.125',
  ],
  ...[
    '12345678901234567890',
    '-12345678901234567890',
    '9223372036854775807',
    '-9223372036854775808',
    '55296',
    '1114112',
  ],
  ...[
    '"a"',
    '""',
    '"héllo 😀 \\" \\n \\u0001 \\u2028 \\u00a0"',
    'true',
    'null',
    '[1, "a", null, {"b": 1.50}]',
    '{"b": 2, "a": [1]}',
  ],
  ...['{}', '[]', '{3, 1, "x", "é"}', 'set()', '{[1], {"k": {1, 2}}}', '{1: "one", "two": 2, null: 3}'],
];
/** Fails instead of answering: denied, and said so in docs/policy.md. */
const UNSUPPORTED = /sprintf\("%[xXb]/;

/** The questions that the two answer differently, but for the unsupported ones that fail. */
async function differences(questions: readonly string[], input?: unknown): Promise<Comparison[]> {
  const compared = await compareAnswers(questions, input);
  return compared.filter(
    ({ question, opa, gateway }) =>
      !isDeepStrictEqual(opa, gateway) && !(gateway === 'failed' && UNSUPPORTED.test(question)),
  );
}

function questions(formats: readonly string[]): string[] {
  return formats.flatMap((format) => VALUES.map((value) => `sprintf(${JSON.stringify(format)}, [${value}])`));
}

describe('sprintf prints what OPA prints', () => {
  test.each(
    [
      VERBS.slice(0, 7),
      VERBS.slice(7, 13),
      VERBS.slice(13),
      SHAPES.slice(0, 8),
      SHAPES.slice(8, 17),
      SHAPES.slice(17),
    ].map((formats) => [formats.join(' '), formats] as const),
  )(
    'every kind of value with %s',
    async (_, formats) => {
      expect(await differences(questions(formats))).toEqual([]);
    },
    60_000,
  );

  test('too few, too many and odd directives', async () => {
    expect(
      await differences(
        [
          '%d %d',
          'abc %',
          '%',
          '%5',
          '%.',
          '%.5',
          '100%% %d',
          '%5%|',
          '%日',
          '',
          'x',
          '%-05d|',
          '%+05d|',
          '% 05d|',
          '%+ d',
          '%05.2d|',
        ]
          .map((format) => `sprintf(${JSON.stringify(format)}, [1])`)
          .concat(
            'sprintf("%d", [1, 2, "a", 1.5, 12345678901234567890])',
            'sprintf("%s %s", ["a", "b"])',
            'sprintf("x", [])',
          ),
      ),
    ).toEqual([]);
  });

  test('wrong types are undefined; numbers keep their digits', async () => {
    const raw = JSON as unknown as { rawJSON(text: string): unknown };
    const input = {
      null: null,
      text: 'x',
      one: 1,
      big: raw.rawJSON('123456789012345678901234567890'),
      many: [1.5, raw.rawJSON('1.50'), raw.rawJSON('1e3')],
    };
    expect(
      await differences(
        [
          'sprintf(i.null, [1])',
          'sprintf(i.one, [])',
          'sprintf("%d", i.null)',
          'sprintf("%d", i.text)',
          'sprintf("%d", [i.big])',
          'sprintf("%v", [i.many])',
          'sprintf("%v", [1 / 3])',
          'sprintf("%v %d", [0.1 + 0.2, 1.0 * 3])',
          'sprintf("%d", [count([1, 2])])',
        ],
        input,
      ),
    ).toEqual([]);
  });

  test.each(['%[1]d', '%*d', '%#x', '%U', '%O', '%p', '%w', '%+q', '%9999999d'])(
    '%s fails the decision',
    async (format) => {
      const value = format === '%+q' ? '"a"' : '1';
      const [answer] = await compareAnswers([`sprintf(${JSON.stringify(format)}, [${value}])`]);
      expect(answer?.gateway).toBe('failed');
    },
  );
});
