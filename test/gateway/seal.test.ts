import { expect, it } from 'vitest';
import { bindingOf, createSeal } from '../../src/gateway/seal.ts';
import type { Call, JsonObject } from '../../src/model.ts';

const call = (params: JsonObject, key = 'ann', method = 'tools/call'): Call =>
  ({ principal: { key }, profile: 'default', method, params }) as unknown as Call;

it('opens what it sealed, for the same binding and in time', () => {
  let now = 1_000;
  const seal = createSeal(500, () => now);
  const text = seal.seal({ state: ['x', 1] }, 'binding');
  expect(seal.open(text, 'binding')).toEqual({ state: ['x', 1] });
  expect(seal.open(text, 'other')).toBeUndefined();
  expect(createSeal(500, () => now).open(text, 'binding')).toBeUndefined();
  now = 1_500;
  expect(seal.open(text, 'binding')).toBeUndefined();
});

it('refuses every text in which one byte was changed, and every piece', () => {
  const seal = createSeal(60_000);
  const bytes = Buffer.from(seal.seal({ a: 1 }, 'b'), 'base64url');
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i]! ^= 1;
    expect(seal.open(changed.toString('base64url'), 'b')).toBeUndefined();
    expect(seal.open(bytes.subarray(0, i).toString('base64url'), 'b')).toBeUndefined();
  }
});

it('binds to who asks what of whom, and not to what a retry adds', () => {
  const params = { name: 't', arguments: { a: 1 } };
  const binding = bindingOf(call(params), 'up');
  expect(bindingOf(call({ ...params, _meta: { x: 1 }, inputResponses: {}, requestState: 's' }), 'up')).toBe(
    binding,
  );
  const others = [
    bindingOf(call({ ...params, arguments: { a: 2 } }), 'up'),
    bindingOf(call(params, 'bob'), 'up'),
    bindingOf(call(params, 'ann', 'prompts/get'), 'up'),
    bindingOf(call(params), 'down'),
  ];
  expect(others).not.toContain(binding);
});
