/** Generated JSON as text: what a careless or hostile writer could send, with the one compact form it has to come out as. */
import * as fc from 'fast-check';

export interface JsonText {
  /** With white space, escapes and number forms as a writer may choose them. */
  readonly written: string;
  /** Without white space, strings as `JSON.stringify` writes them, numbers untouched. */
  readonly compact: string;
}

const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });

/** Any text, lone surrogates included; characters may be written as `\uXXXX`. */
export function stringText(
  text = fc.string({ unit: fc.oneof(anyUnit(), trouble()) }),
): fc.Arbitrary<JsonText> {
  return fc
    .tuple(text, fc.boolean())
    .map(([value, escaped]) => ({
      written: escaped ? `"${escape(value)}"` : JSON.stringify(value),
      compact: JSON.stringify(value),
    }));
}

const anyUnit = (): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c));
const trouble = (): fc.Arbitrary<string> =>
  fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '\n', '\u2028', '\0');
const escape = (text: string): string =>
  Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');

/** Numbers in forms that an ordinary parse changes, and plain ones. */
const numberText: fc.Arbitrary<JsonText> = fc
  .oneof(
    fc.constantFrom('-0', '0', '1.0', '1e400', '-1E+5', '1e-7', '0.10', '9007199254740993', '1e21', '1e+21'),
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  )
  .map((text) => ({ written: text, compact: text }));

const wordText: fc.Arbitrary<JsonText> = fc
  .constantFrom('true', 'false', 'null')
  .map((text) => ({ written: text, compact: text }));

/** JavaScript puts keys that look like list indexes first; they are left out, as order is what is compared. */
const keyText = stringText(
  fc
    .oneof(fc.constantFrom('__proto__', 'constructor', 'Name', 'name', 'toJSON', ''), fc.string())
    .filter((key) => !/^\d+$/.test(key)),
);

function joined(open: string, close: string, parts: readonly JsonText[], gaps: readonly string[]): JsonText {
  const gap = (i: number): string => gaps[i % gaps.length] ?? '';
  return {
    written: `${open}${gap(0)}${parts.map(({ written }, i) => `${gap(i)}${written}${gap(i + 1)}`).join(',')}${close}`,
    compact: `${open}${parts.map(({ compact }) => compact).join(',')}${close}`,
  };
}

function member(key: JsonText, value: JsonText, gap: string): JsonText {
  return {
    written: `${key.written}${gap}:${gap}${value.written}`,
    compact: `${key.compact}:${value.compact}`,
  };
}

const gaps = fc.array(space, { minLength: 1, maxLength: 3 });

/** An object of the given values, no key twice. */
export function objectText(value: fc.Arbitrary<JsonText>): fc.Arbitrary<JsonText> {
  return fc
    .tuple(fc.uniqueArray(fc.tuple(keyText, value), { selector: ([key]) => key.compact, maxLength: 5 }), gaps)
    .map(([members, between]) =>
      joined(
        '{',
        '}',
        members.map(([key, item]) => member(key, item, between[0] ?? '')),
        between,
      ),
    );
}

/** Any JSON value, a few levels deep. */
export const jsonText: fc.Arbitrary<JsonText> = fc.letrec<{ value: JsonText }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(numberText, stringText(), wordText),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 5 }), gaps)
      .map(([items, between]) => joined('[', ']', items, between)),
    objectText(tie('value')),
  ),
})).value;
