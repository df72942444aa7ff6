/** The limit stage: how much may this caller still do? */
import { GatewayError } from '../errors.ts';
import type { Attempt } from './attempt.ts';

/**
 * A rule that names an upstream counts what the caller may see there; all others count every request.
 * @throws GatewayError `limited` with the seconds to wait.
 */
export function limit({ snapshot, call, record, entry }: Attempt): void {
  const { principal, method } = call;
  const taken = snapshot.limits.take({
    principal,
    method,
    upstream: entry?.target.upstream,
    target: entry?.target.name,
  });
  if (taken.ok) return;
  const { rule, retryAfter } = taken;
  snapshot.metrics.rateLimited(rule);
  record.limit(rule);
  throw new GatewayError('limited', `The limit "${rule}" is used up; try again in ${retryAfter} s.`, {
    retryAfter,
  });
}
