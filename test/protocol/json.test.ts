import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GatewayError } from '../../src/errors.ts';
import { parseLossless, readJson } from '../../src/protocol/json.ts';
import { jsonText } from './json-text.ts';

const DEPTH = 64;
const read = (text: string): unknown => readJson(text, DEPTH);

function refusal(text: string, depth = DEPTH): string {
  try {
    readJson(text, depth);
  } catch (error) {
    return (error as GatewayError).code;
  }
  return 'accepted';
}

const call = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;

describe('the value', () => {
  it('is written as it was read, number by number', () => {
    fc.assert(
      fc.property(jsonText, ({ written, compact }) => {
        const message = call(`{"name":"x","arguments":${written}}`);
        expect(JSON.stringify(read(message))).toBe(call(`{"name":"x","arguments":${compact}}`));
      }),
      { numRuns: 500 },
    );
  });

  it('of a lossless parse is written as it was read', () => {
    fc.assert(
      fc.property(jsonText, ({ written, compact }) => {
        expect(JSON.stringify(parseLossless(written))).toBe(compact);
      }),
    );
  });

  it.each(['9007199254740993', '1.0', '-0', '1e400', '1E2', '0.1000', '123456789012345678901234567890'])(
    'keeps the number %s',
    (number) => {
      expect(JSON.stringify(read(`{"a":[${number},1]}`))).toBe(`{"a":[${number},1]}`);
    },
  );

  it('holds ordinary numbers as numbers, whatever stands beside them', () => {
    expect(read('{"id":7,"n":1.5,"big":12345678901234567890}')).toMatchObject({ id: 7, n: 1.5 });
  });

  it('has __proto__ as a member like any other', () => {
    const value = read(call('{"arguments":{"__proto__":{"admin":true},"n":1.0}}')) as any;
    expect(Object.keys(value.params.arguments)).toEqual(['__proto__', 'n']);
    expect(value.params.arguments.admin).toBeUndefined();
  });
});

describe('a body that two readers could understand differently is refused', () => {
  it.each([
    ['a key twice', '{"id":1,"id":2}'],
    ['a key twice, once escaped', '{"method":"ping","\\u006dethod":"tools/call"}'],
    ['a case twin', '{"method":"ping","Method":"tools/call"}'],
    ['a long s', call('{"name":"a","argument\u017f":{},"arguments":{}}')],
    ['a Kelvin sign', call('{"name":"a","k":1,"\u212a":2}')],
    ['a full-width letter', call('{"name":"a","\uff4eame":"b"}')],
    ['__proto__ twice', call('{"__proto__":{},"__proto__":{"name":"x"}}')],
    ['a twin in _meta', call('{"name":"a","_meta":{"progressToken":1,"progresstoken":2}}')],
    ['a twin after a nested object', call('{"arguments":{"a":{"b":[{}]}},"name":"a","Name":"b"}')],
    ['a look-alike without its twin', call('{"name":"a","Arguments":{"path":"/etc"}}')],
    ['a look-alike in the envelope', '{"jsonrpc":"2.0","id":1,"method":"ping","Params":{}}'],
    ['a look-alike in _meta', call('{"_meta":{"io.modelcontextprotocol/clientinfo":{}}}')],
    ['a NUL in a key', call('{"name\\u0000":"a"}')],
  ])('%s', (_what, text) => {
    expect(refusal(text)).toBe('invalid_request');
  });

  it.each([
    ['inside arguments', call('{"arguments":{"a":1,"A":2,"Name":3,"\\u0000":4}}')],
    ['in another member of params', call('{"context":{"arguments":{"k":1,"K":2}}}')],
    ['in lists', '[{"id":1},{"Id":1}]'],
    [
      'in an object of the same name elsewhere',
      call('{"arguments":{"params":{"a":1,"A":2},"_meta":{"b":1,"B":2}}}'),
    ],
    ['below a list called params', '{"params":[{"a":1,"A":2}]}'],
    ['between levels', '{"id":1,"params":{"Id":2,"_meta":{"ID":3}}}'],
  ])('but not %s', (_what, text) => {
    expect(refusal(text)).toBe('accepted');
  });
});

describe('nesting', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

  it('is allowed up to the depth and no further', () => {
    expect(refusal(nested(DEPTH))).toBe('accepted');
    expect(refusal(nested(DEPTH + 1))).toBe('invalid_request');
  });

  it('counts no brackets in strings', () => {
    expect(refusal(JSON.stringify({ a: '[{'.repeat(500), '[\\"{': '\\' }))).toBe('accepted');
  });

  it('of 200,000 levels is refused at once, also with numbers that need the lossless parse', () => {
    const started = performance.now();
    expect(refusal(nested(200_000))).toBe('invalid_request');
    expect(refusal(`${'['.repeat(200_000)}1.0${']'.repeat(200_000)}`)).toBe('invalid_request');
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

it.each(['', ' ', '{', 'nul', '{"a":1}x', "{'a':1}", '{"a":01}', '\ufeff{}', '{"a":"\n"}'])(
  'refuses %j as no JSON',
  (text) => {
    expect(refusal(text)).toBe('parse_error');
  },
);

describe('what is no JSON', () => {
  it.each([
    '{1.0:2}',
    '{1.0 : 2}',
    '[01.0]',
    '[1.0.0]',
    '[1.0abc]',
    '["a"1.0]',
    '[tru1.0]',
    '[1e400',
    '[-]',
    '[.5]',
    '[1.]',
    '[1e]',
    '"1.0',
    '1.0 2.0',
  ])('%s stays none in the lossless path', (text) => {
    expect(() => parseLossless(text)).toThrow(SyntaxError);
  });
});
