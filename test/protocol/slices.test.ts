import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sliceMessage, textOf } from '../../src/protocol/slices.ts';
import { jsonText, objectText } from './json-text.ts';

const slice = (text: string) => sliceMessage(Buffer.from(text));

/** The members as the slices have them, parsed. */
function members(text: string, of: 'top' | 'result' = 'top'): Record<string, unknown> | undefined {
  const message = slice(text);
  if (!message) return undefined;
  return Object.fromEntries(
    [...message[of]].map(([name, range]) => [name, JSON.parse(textOf(message.bytes, range)!) as unknown]),
  );
}

/** Own members, without the special meaning that `__proto__` has in a literal. */
const entriesOf = (value: object | undefined): [string, unknown][] =>
  Object.entries(value ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

describe('the slices', () => {
  it('are the members of the message, in any spacing', () => {
    fc.assert(
      fc.property(objectText(jsonText), ({ written }) => {
        const text = Buffer.from(written).toString(); // lone surrogates do not survive UTF-8
        expect(entriesOf(members(text))).toEqual(entriesOf(JSON.parse(text) as object));
      }),
      { numRuns: 500 },
    );
  });

  it('of the result are its members', () => {
    fc.assert(
      fc.property(objectText(jsonText), ({ written }) => {
        const result = Buffer.from(written).toString();
        const text = `{ "jsonrpc":"2.0",\n"result" : ${result} ,"id":1 }`;
        expect(entriesOf(members(text, 'result'))).toEqual(entriesOf(JSON.parse(result) as object));
        expect(members(text)).toMatchObject({ id: 1, jsonrpc: '2.0' });
      }),
    );
  });

  it('are those of JSON.parse or none, whatever is done to the bytes', () => {
    const mutation = fc.record({ at: fc.nat(), byte: fc.constantFrom(...Buffer.from('{}[]",:\\ 1a\n')) });
    fc.assert(
      fc.property(objectText(jsonText), fc.array(mutation, { maxLength: 4 }), ({ written }, mutations) => {
        const bytes = Buffer.from(`{"result":${written},"id":7}`);
        for (const { at, byte } of mutations) bytes[at % bytes.length] = byte;
        const message = sliceMessage(bytes);
        let value: unknown;
        try {
          value = JSON.parse(bytes.toString());
        } catch {
          return; // Slices of what is no JSON are for their readers to refuse; only throwing would be wrong.
        }
        if (!message) return;
        for (const [name, range] of message.top)
          expect(JSON.parse(textOf(bytes, range)!)).toEqual((value as Record<string, unknown>)[name]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('find escaped keys', () => {
    expect(members('{"\\u0069d":5,"re\\u0073ult":{"\\"":1}}')).toMatchObject({ id: 5 });
    expect(members('{"re\\u0073ult":{"\\"":1}}', 'result')).toEqual({ '"': 1 });
  });

  it.each([0, 47, 48, 49, 50, 4_096])(
    'cross a string of %i characters, with quotes and backslashes',
    (length) => {
      for (const inside of ['"', '\\', '\\"', '"\\', '{"id":9}']) {
        const value = 'x'.repeat(length) + inside + 'y'.repeat(length);
        expect(members(JSON.stringify({ a: value, id: 1 }))).toEqual({ a: value, id: 1 });
        expect(members(JSON.stringify({ result: { a: [value] }, id: 1 }))).toMatchObject({ id: 1 });
      }
    },
  );

  it('of a result that is no object are none', () => {
    for (const result of ['[{"a":1}]', '"{}"', 'null', '5']) {
      const message = slice(`{"result":${result},"id":1}`)!;
      expect(textOf(message.bytes, message.top.get('result'))).toBe(result);
      expect(message.result.size).toBe(0);
    }
  });

  it('have the place of __proto__ like any other member', () => {
    expect(slice('{"__proto__":1,"id":2}')!.top.get('__proto__')).toEqual([13, 14]);
  });
});

describe('no message', () => {
  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['text', 'listening on 8080'],
    ['a list', '[{"id":1}]'],
    ['a string', '"{}"'],
    ['a byte order mark', '\ufeff{}'],
    ['trailing bytes', '{"id":1}x'],
    ['a second message', '{"id":1}{"id":2}'],
    ['a member twice', '{"id":1,"id":2}'],
    ['a member twice, once escaped', '{"id":1,"\\u0069d":2}'],
    ['a member of the result twice', '{"result":{"a":1,"a":2}}'],
    ['an object without its end', '{"id":1'],
    ['a string without its end', '{"id":"1}'],
    ['a string that ends in a backslash', '{"id":"1\\"}'],
    ['brackets that do not match', '{"result":{"a":[1}]}'],
    ['a comma at the end', '{"id":1,}'],
    ['no value', '{"id":}'],
    ['no colon', '{"id" 1}'],
    ['a key without quotes', '{id:1}'],
    ['a bad escape in a key', '{"\\x":1}'],
  ])('is in %s', (_what, text) => {
    expect(slice(text)).toBeUndefined();
  });

  it('is nested deeper than a reader by recursion can bear', () => {
    const nested = (depth: number) => slice(`{"result":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect(nested(1_000)).toBeDefined();
    expect(nested(1_001)).toBeUndefined();
    expect(slice(`{"a":${'{"a":'.repeat(5_000_000)}`)).toBeUndefined();
  });
});

it('takes time linear in the length, whatever the quotes and backslashes', () => {
  const megabyte = 1024 * 1024;
  const started = performance.now();
  for (const unit of ['\\"', '\\\\', '""', 'x', '[]']) slice(`{"a":"${unit.repeat(megabyte)}`);
  expect(performance.now() - started).toBeLessThan(2_000);
});
