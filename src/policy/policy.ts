/**
 * The contract between the gateway and whatever decides: a Call's facts in, a Decision out.
 */
import type { Annotations, Decision, JsonObject, Principal, TargetKind } from '../model.ts';

/** `list`: may this caller know of it? `request`: may this call run? `response`: may this reach the caller? */
export type Phase = 'list' | 'request' | 'response';

/** What a policy can read. Documented in docs/policy.md; a change of shape is a new `version`. */
export interface PolicyInput {
  readonly version: 1;
  readonly phase: Phase;
  readonly method: string;
  readonly principal: Omit<Principal, 'key'>;
  readonly upstream: {
    readonly id: string;
    readonly transport: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly target?: {
    readonly kind: TargetKind;
    readonly name: string;
    readonly title?: string;
    readonly digest: string;
    readonly annotations: Annotations;
    readonly claims: Readonly<JsonObject>;
  };
  /** Absent in the list phase. */
  readonly arguments?: JsonObject;
  readonly client: { readonly name?: string; readonly version?: string; readonly protocolVersion: string };
  readonly profile: string;
  /** Address of the peer. */
  readonly source: string;
  /** RFC 3339, UTC. */
  readonly time: string;
}

/** One loaded policy: immutable, closed when the last snapshot drops it. */
export interface Policy {
  /** First 16 hex digits of the digest of sources and data; `off` when there is none. */
  readonly version: string;
  /** How many rule files stand behind it, for the start banner. */
  readonly files: number;
  /** `enforce` denies; `off` allows everything and says so. */
  readonly mode: 'enforce' | 'off';
  /**
   * Decides one call. Never throws: whatever goes wrong is a Decision with `allow: false` and `failed`.
   * Answers without a promise when the decision is cached. `queue` is the key of fairness (the principal's).
   */
  decide(input: PolicyInput, queue: string): Decision | Promise<Decision>;
  /** Decides many (a list) in one message to the worker; same order as the inputs. */
  decideAll(inputs: readonly PolicyInput[], queue: string): Promise<readonly Decision[]>;
  close(): Promise<void>;
}
