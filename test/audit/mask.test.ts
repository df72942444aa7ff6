import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskArguments, type ArgumentsRule, type Masked } from '../../src/audit/mask.ts';
import { isSecretName } from '../../src/audit/secret-names.ts';
import type { JsonObject } from '../../src/model.ts';
import { parseLossless } from '../../src/protocol/json.ts';

function mask(value: JsonObject, rule: ArgumentsRule = 'masked', paths: readonly string[] = []): Masked {
  return maskArguments(value, { rule, paths, scrub: (text) => text });
}

describe('names of secrets', () => {
  it.each([
    'password',
    'Password',
    'dbPassword',
    'DB_PASSWD',
    'client_secret',
    'clientSecret',
    'token',
    'accessToken',
    'refresh_token',
    'authtoken',
    'api_key',
    'api-key',
    'apiKey',
    'APIKEY',
    'x-api-key',
    'Authorization',
    'cookie',
    'Set-Cookie',
    'credentials',
    'privateKey',
    'PRIVATE_KEY',
    'accessKeyId',
    'bearer',
    'otp',
    'pin',
    'cardPin',
    'user.pin',
    'passphrase',
    'jwt',
    'ｐａｓｓｗｏｒｄ',
  ])('%s', (name) => expect(isSecretName(name)).toBe(true));

  it.each([
    'path',
    'content',
    'mapping',
    'pinned',
    'spinner',
    'option',
    'author',
    'key',
    'keyboard',
    'compass',
    'tokenizer',
    'query',
    'pattern',
  ])('not %s', (name) => expect(isSecretName(name)).toBe(false));

  it('are still known after more names than are remembered', () => {
    for (let i = 0; i < 10_000; i++) isSecretName(`name${i}`);
    expect([isSecretName('password'), isSecretName('path')]).toEqual([true, false]);
  });
});

describe('the rule masked', () => {
  it('replaces values of fields named like secrets at any depth and lists them', () => {
    const given = {
      user: 'alice',
      password: 'x',
      list: [{ apiKey: 1 }, { ok: true }],
      auth: { cookie: ['a'] },
      credentials: { user: 'u' },
    };
    expect(mask(given)).toEqual({
      arguments: {
        user: 'alice',
        password: '[masked]',
        list: [{ apiKey: '[masked]' }, { ok: true }],
        auth: '[masked]',
        credentials: '[masked]',
      },
      masked: ['password', 'list.0.apiKey', 'auth', 'credentials'],
      cut: false,
    });
    expect(given.password).toBe('x');
  });

  it('hands the same object on when there is nothing to mask', () => {
    const given = { path: '/a', edits: [{ from: 1, to: null }], deep: { list: [[true]] } };
    expect(mask(given).arguments).toBe(given);
  });

  it('changes nothing but what it masks', () => {
    const names = fc.constantFrom('a', 'b', 'password', '__proto__', '1');
    const values = fc.constantFrom(
      '"x"',
      '1',
      '[{"b":[null]}]',
      '{"password":{"a":1},"__proto__":2}',
      '{"a":{"password":[]}}',
    );
    const masked = (text: string): string =>
      JSON.stringify(JSON.parse(text, (key, value: unknown) => (key === 'password' ? '[masked]' : value)));
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values), { maxLength: 5 }), (members) => {
        const text = `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
        const given = JSON.parse(text) as JsonObject;
        const before = JSON.stringify(given);
        expect(JSON.stringify(mask(given).arguments)).toBe(masked(text));
        expect(JSON.stringify(given)).toBe(before);
      }),
    );
  });

  it('keeps numbers digit by digit', () => {
    const given = parseLossless('{"id":12345678901234567890,"password":"x"}') as JsonObject;
    expect(JSON.stringify(mask(given).arguments)).toBe('{"id":12345678901234567890,"password":"[masked]"}');
  });
});

describe("the policy's paths", () => {
  const given: JsonObject = {
    ssn: '1',
    user: { ssn: '2', name: 'n' },
    rows: [{ card: '3' }, { card: '4' }],
    'a.b': '5',
  };

  it.each<[string, string[]]>([
    ['ssn', ['ssn']],
    ['user.ssn', ['user.ssn']],
    ['arguments.user.ssn', ['user.ssn']],
    ['rows.*.card', ['rows.0.card', 'rows.1.card']],
    ['rows.1.card', ['rows.1.card']],
    ['*.ssn', ['user.ssn']],
    ['rows', ['rows']],
    ['a.b', ['a.b']],
    ['absent', []],
  ])('%s', (path, masked) => {
    for (const rule of ['masked', 'full'] as const) expect(mask(given, rule, [path]).masked).toEqual(masked);
  });
});

describe('the other rules', () => {
  const given: JsonObject = { password: 'x', n: 1, list: [], nothing: null, o: {}, b: true };

  it('none records nothing', () => expect(mask(given, 'none')).toEqual({ masked: [], cut: false }));

  it('keys records names and types', () => {
    expect(mask(given, 'keys').arguments).toEqual({
      password: 'string',
      n: 'number',
      list: 'array',
      nothing: 'null',
      o: 'object',
      b: 'boolean',
    });
  });

  it('full records values as they are', () => expect(mask(given, 'full').arguments).toBe(given));
});

describe('bounds', () => {
  const sizeOf = (masked: Masked): number => JSON.stringify(masked).length;

  it('cut a long text, with a note', () => {
    const { arguments: recorded, cut } = mask({ content: 'x'.repeat(1_000_000), path: '/a' });
    expect(recorded).toEqual({ content: `${'x'.repeat(4096)}…[cut]`, path: '/a' });
    expect(cut).toBe(true);
  });

  it('scrub a text before it is cut, so that no half of a secret stays', () => {
    const scrub = (text: string): string => text.replaceAll('held-secret', '[secret]');
    const { arguments: recorded } = maskArguments(
      { a: `${'x'.repeat(4090)}held-secret` },
      { rule: 'full', paths: [], scrub },
    );
    expect(JSON.stringify(recorded)).not.toContain('held');
  });

  it.each<[string, JsonObject]>([
    ['many texts', { list: Array.from({ length: 10_000 }, () => 'x'.repeat(100)) }],
    ['many empty things', { list: Array.from({ length: 100_000 }, () => []) }],
    ['many keys', Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`, i]))],
    ['many secrets', { list: Array.from({ length: 100_000 }, () => ({ pin: 1 })) }],
    [
      'long keys',
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}${'k'.repeat(100_000)}`, i])),
    ],
    [
      'long secret keys',
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}${'k'.repeat(100_000)}token`, i])),
    ],
  ])('keep the record of %s small, and say so', (_what, given) => {
    for (const rule of ['keys', 'masked', 'full'] as const)
      expect(sizeOf(mask(given, rule))).toBeLessThan(200_000);
    expect(mask(given, 'masked').cut).toBe(true);
  });

  it('stop at a depth', () => {
    const given = JSON.parse(`{"a":${'['.repeat(60)}${']'.repeat(60)}}`) as JsonObject;
    expect(JSON.stringify(mask(given))).toBe(
      `{"arguments":{"a":${'['.repeat(15)}"[cut]"${']'.repeat(15)}},"masked":[],"cut":true}`,
    );
  });
});
