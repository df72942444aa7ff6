/** The shapes of audit records, version 1: one JSON object per line. docs/audit.md explains every field. */
import type { ErrorCode } from '../errors.ts';
import type { Era, Outcome, TargetKind } from '../model.ts';

export const VERSION = 1;

/** What became of one request. Fields that the request did not get far enough to have are absent or null. */
export interface AuditEvent {
  readonly v: typeof VERSION;
  readonly kind: 'request';
  /** RFC 3339, UTC, to the millisecond: when the request arrived. */
  readonly time: string;
  readonly requestId: string;
  /** The request id of the call's first record, when this is a later round of it. */
  readonly continues?: string | undefined;
  /** Who was authenticated; null when the request was refused before that. */
  readonly principal: AuditPrincipal | null;
  /** What the client said of itself; unverified. */
  readonly client: {
    readonly name?: string;
    readonly version?: string;
    readonly protocolVersion: string;
  } | null;
  /** Address of the peer that connected. */
  readonly source: string;
  readonly era: Era | null;
  readonly profile: string | null;
  readonly method: string | null;
  readonly upstream?: string | undefined;
  readonly target?: AuditTarget | undefined;
  readonly decision?: AuditDecision | undefined;
  /** Name of the rate limit that refused the request. */
  readonly limit?: string | undefined;
  readonly outcome: Outcome;
  readonly error?: AuditError | undefined;
  /** Entries that the caller could see of a list. */
  readonly listed?: number | undefined;
  readonly durationMs: number;
  /** Bytes of the request's body and of the answer's result or error. */
  readonly sizes: { readonly request: number; readonly response: number };
  /** As the rule `audit.arguments` has it. */
  readonly arguments?: unknown;
  /** Paths in `arguments` whose values were replaced by `[masked]`. */
  readonly masked?: readonly string[] | undefined;
  /** Something in `arguments` was too long, too deep or too much and is not all there. */
  readonly cut?: true | undefined;
}

export interface AuditPrincipal {
  readonly id: string;
  readonly kind: string;
  readonly issuer?: string | undefined;
  readonly tenant?: string | undefined;
  readonly roles: readonly string[];
}

export interface AuditTarget {
  readonly kind: TargetKind;
  /** The upstream's own name or URI. */
  readonly name: string;
  /** The name or URI that the caller used. */
  readonly exposed?: string | undefined;
}

export interface AuditDecision {
  readonly allow: boolean;
  readonly reasons: readonly string[];
  readonly policyVersion: string;
  readonly tags: readonly string[];
  /** No answer could be had, so it was denied. */
  readonly failed?: true | undefined;
}

export interface AuditError {
  readonly code: ErrorCode;
  readonly message: string;
  /** What the caller was not told. */
  readonly hidden?: string | undefined;
}

/** Written by a sink that lost records, as soon as it works again. */
export interface DroppedEvent {
  readonly v: typeof VERSION;
  readonly kind: 'dropped';
  readonly time: string;
  readonly sink: string;
  /** Records lost since the sink's last record of this kind. */
  readonly count: number;
}
