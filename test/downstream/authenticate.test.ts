import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAuthenticate } from '../../src/downstream/auth/authenticate.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const authenticate = createAuthenticate({
  apiKeys: [{ id: 'alice', sha256: sha256('key-a'), roles: ['dev'], groups: [], tenant: 'acme' }],
});

it('is anonymous without auth, and only then', () => {
  expect(createAuthenticate(undefined)({})).toMatchObject({ id: 'anonymous', kind: 'anonymous' });
  expect(() => createAuthenticate({ apiKeys: [] })({})).toThrow(/API key/);
});

describe.each([
  ['Bearer', { authorization: 'Bearer key-a' }],
  ['bearer in lower case', { authorization: 'bearer key-a' }],
  ['X-API-Key', { 'x-api-key': 'key-a' }],
])('%s', (_what, headers) => {
  it('gives the principal, without the key', () => {
    const principal = authenticate(headers);
    expect(principal).toEqual({
      id: 'alice',
      kind: 'api-key',
      roles: ['dev'],
      groups: [],
      scopes: [],
      claims: {},
      tenant: 'acme',
      key: 'api-key:alice',
    });
    expect(JSON.stringify(principal)).not.toContain('key-a');
  });
});

it.each([
  [{}],
  [{ authorization: 'Bearer key-b' }],
  [{ authorization: 'Bearer key-a key-a' }],
  [{ authorization: `Bearer ${sha256('key-a')}` }],
  [{ authorization: 'key-a' }],
  [{ 'x-api-key': '' }],
  [{ authorization: 'Bearer key-a', 'x-api-key': 'key-a' }],
])('refuses %j', (headers) => {
  expect(() => authenticate(headers)).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
});
