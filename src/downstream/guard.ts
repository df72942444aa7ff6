/** Who may talk to this address at all: Host and Origin are checked before anything is read (DNS rebinding; 2025-11-25, "Transports: security"). */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.ts';

export interface Guard {
  /** @throws GatewayError `forbidden_host` */
  check(request: IncomingMessage): void;
  /** The origin to name in CORS answers; undefined when the request has none. */
  origin(request: IncomingMessage): string | undefined;
}

export function createGuard(hosts: readonly string[], origins: readonly string[]): Guard {
  const names = new Set(hosts.map(hostName));
  const allowed = new Set(origins);

  const knows = (authority: string): boolean => names.has(hostName(authority));

  function fromHere(origin: string): boolean {
    if (allowed.has(origin)) return true;
    return (
      URL.canParse(origin) &&
      /^https?:$/.test(new URL(origin).protocol) &&
      names.has(hostName(new URL(origin).host))
    );
  }

  return {
    check({ headers, rawHeaders }) {
      const { host, origin } = headers;
      if (host === undefined || !knows(host) || repeatsHost(rawHeaders))
        throw new GatewayError(
          'forbidden_host',
          `The Host header ${JSON.stringify(host ?? '')} is not served here; add it to "hosts" if it should be.`,
        );
      if (origin !== undefined && !fromHere(origin))
        throw new GatewayError(
          'forbidden_host',
          `Requests from the origin ${JSON.stringify(origin)} are refused; add it to "origins" if it should be allowed.`,
        );
    },
    origin: ({ headers }) => headers.origin,
  };
}

/** Host name without port, lower case; the brackets of IPv6 stay. */
function hostName(authority: string): string {
  const [, name] = /^(\[[0-9a-f:]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i.exec(authority) ?? [];
  return name?.toLowerCase() ?? '';
}

/** Node keeps the first of several Host headers; which one counts must not be a guess. */
function repeatsHost(rawHeaders: readonly string[]): boolean {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') seen++;
  return seen > 1;
}
