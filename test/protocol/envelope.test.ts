import { describe, expect, it } from 'vitest';
import type { GatewayError } from '../../src/errors.ts';
import type { Json, JsonObject } from '../../src/model.ts';
import { classify, idOf, isObject } from '../../src/protocol/envelope.ts';
import { parseLossless } from '../../src/protocol/json.ts';

const message = (members: JsonObject): Json => ({ jsonrpc: '2.0', ...members });

describe('a message', () => {
  it.each([1, 0, -5, '1', '', 'a b', 2 ** 53])('with the id %j is a request with that id', (id) => {
    const incoming = classify(message({ id, method: 'ping' }));
    expect(incoming).toEqual({ kind: 'request', id, method: 'ping', params: {} });
  });

  it('without an id is a notification', () => {
    expect(classify(message({ method: 'x', params: { a: 1 } }))).toEqual({
      kind: 'notification',
      method: 'x',
      params: { a: 1 },
    });
  });

  it('without a method is a response, with a result or an error', () => {
    expect(classify(message({ id: 1, result: {} }))).toEqual({ kind: 'response', id: 1, result: {} });
    expect(classify(message({ id: 'a', error: {} }))).toEqual({ kind: 'response', id: 'a', error: {} });
  });

  it.each([
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'],
    ['an empty batch', '[]'],
    ['null', 'null'],
    ['a number', '5'],
    ['a kept number', '1.0'],
    ['an empty object', '{}'],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['the id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
    ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}'],
    ['an id that no double holds', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['an id of 1 MB', `{"jsonrpc":"2.0","id":"${'x'.repeat(1_000_000)}","method":"ping"}`],
    ['a number as method', '{"jsonrpc":"2.0","id":1,"method":5}'],
    ['an empty method', '{"jsonrpc":"2.0","id":1,"method":""}'],
    ['a NUL in the method', '{"jsonrpc":"2.0","id":1,"method":"ping\\u0000"}'],
    ['an endless method', `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(300)}"}`],
    ['params in a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'],
    ['params null', '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}'],
    ['a kept number as params', '{"jsonrpc":"2.0","id":1,"method":"ping","params":1.0}'],
    ['a result and an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}'],
    ['neither method nor outcome', '{"jsonrpc":"2.0","id":1}'],
  ])('is refused with %s', (_what, text) => {
    expect(() => classify(parseLossless(text))).toThrow(
      expect.objectContaining({ name: 'GatewayError', code: 'invalid_request' }) as GatewayError,
    );
  });
});

it('answers an ill-formed message with its id where that can be read', () => {
  expect(idOf({ id: 'a' })).toBe('a');
  for (const value of [{ id: null }, { id: {} }, { id: 1.5 }, {}, [], null, 5])
    expect(idOf(value)).toBeNull();
});

it('takes a number that was kept digit by digit for no object', () => {
  expect(isObject(parseLossless('1.0'))).toBe(false);
  expect(isObject(parseLossless('{}'))).toBe(true);
  for (const value of [null, [], 'x', 1, undefined]) expect(isObject(value)).toBe(false);
});
