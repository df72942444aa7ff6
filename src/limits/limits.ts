/** The contract of the limit stage: how much of it may this caller still do? */
import type { Principal } from '../model.ts';

/** The facts a limit can be keyed by. */
export interface LimitFacts {
  readonly principal: Principal;
  readonly method: string;
  /** Upstream id and original name when the request has a target. */
  readonly upstream?: string | undefined;
  readonly target?: string | undefined;
}

export type Taken =
  | { readonly ok: true }
  | { readonly ok: false; readonly rule: string; /** Seconds. */ readonly retryAfter: number };

export interface Limits {
  /** Counts one request against every rule that matches it; refused when one of them is used up (none is charged then). */
  take(facts: LimitFacts): Taken;
}
