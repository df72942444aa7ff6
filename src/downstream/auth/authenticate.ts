/** Who is asking? Headers in, Principal out; nothing behind this file sees a key. */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKeyConfig } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import type { Principal } from '../../model.ts';

/** @throws GatewayError `unauthenticated` */
export type Authenticate = (headers: IncomingHttpHeaders) => Principal;

/** Without `auth` everybody on loopback is this one. */
const ANONYMOUS: Principal = {
  id: 'anonymous',
  kind: 'anonymous',
  roles: [],
  groups: [],
  scopes: [],
  claims: {},
  key: 'anonymous',
};

export function createAuthenticate(
  auth: { readonly apiKeys: readonly ApiKeyConfig[] } | undefined,
): Authenticate {
  if (auth === undefined) return () => ANONYMOUS;
  // Looked up by the hash of what was sent: how long that takes says nothing about the keys.
  const principals = new Map(auth.apiKeys.map((key) => [key.sha256, principalOf(key)]));
  return function authenticate(headers) {
    const key = presentedKey(headers);
    const principal = key === undefined ? undefined : principals.get(hash('sha256', key));
    if (principal) return principal;
    const why =
      key === undefined
        ? 'This gateway needs an API key: send it as "Authorization: Bearer KEY" or "X-API-Key: KEY".'
        : 'The API key is not known here.';
    throw new GatewayError('unauthenticated', why);
  };
}

function principalOf({ id, roles, groups, tenant }: ApiKeyConfig): Principal {
  return {
    id,
    kind: 'api-key',
    roles,
    groups,
    scopes: [],
    claims: {},
    key: `api-key:${id}`,
    ...(tenant === undefined ? {} : { tenant }),
  };
}

/** Two ways of sending a key at once are refused: which one counts must not be a guess. */
function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer =
    headers.authorization === undefined
      ? undefined
      : (/^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization)?.[1] ?? '');
  const header = headers['x-api-key'];
  if (bearer !== undefined && header !== undefined)
    throw new GatewayError(
      'unauthenticated',
      'Send the API key once: in Authorization or in X-API-Key, not in both.',
    );
  return bearer ?? (typeof header === 'string' ? header : undefined);
}
