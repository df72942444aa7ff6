/**
 * The shared words of the gateway, as types only. One meaning each, everywhere.
 */

/** `legacy`: `initialize` + sessions (2024-11-05 … 2025-11-25). `modern`: stateless, per-request `_meta` (2026-07-28). */
export type Era = 'legacy' | 'modern';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** The authenticated caller. Never carries a token. */
export interface Principal {
  /** Unique within `kind` and `issuer`; `anonymous` on loopback without authentication. */
  readonly id: string;
  readonly kind: 'anonymous' | 'api-key';
  readonly issuer?: string;
  readonly tenant?: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly scopes: readonly string[];
  readonly claims: Readonly<JsonObject>;
  /** One string that identifies the principal: the key of sessions, limits and fair queues. */
  readonly key: string;
}

export type TargetKind = 'tool' | 'resource' | 'template' | 'prompt';

/** The specification's tool annotations, with its defaults filled in (2025-03-26 schema, `ToolAnnotations`). */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What a call is about: always the upstream's own name or URI, never the exposed one. */
export interface Target {
  readonly upstream: string;
  readonly kind: TargetKind;
  /** Original name (tool, prompt), URI (resource) or URI template (template). */
  readonly name: string;
  readonly title?: string;
  /** SHA-256 (hex) of the definition as the upstream listed it. */
  readonly digest: string;
  /** What the operator or a trusted server said; the specification's defaults otherwise. */
  readonly annotations: Annotations;
  /** What the server itself said, unverified. */
  readonly claims: Readonly<JsonObject>;
}

/** What the client says about itself; unverified. */
export interface ClientInfo {
  readonly name?: string;
  readonly version?: string;
  readonly protocolVersion: string;
}

/** What a server wants to know from the client in the middle of a call: a request of it, with `method` and `params`. */
export interface Question {
  readonly method: string;
  readonly params: JsonObject;
  /** Aborted when the server no longer wants to know. */
  readonly withdrawn?: AbortSignal;
}

/** Asks the client. @returns its result. @throws GatewayError when it cannot be asked, or refuses. */
export type Ask = (question: Question) => Promise<JsonObject>;

/** One request on its way. */
export interface Call {
  /** The gateway's own id of the attempt, in audit, logs and error data. */
  readonly requestId: string;
  readonly method: string;
  readonly principal: Principal;
  readonly client: ClientInfo;
  readonly era: Era;
  readonly profile: string;
  /** Address of the peer that connected. */
  readonly source: string;
  /** JSON-RPC params as received, `_meta` included. Serialised again for the upstream: there is one reading. */
  readonly params: JsonObject;
  /** The declared capabilities of the client on this hop. */
  readonly capabilities: Readonly<JsonObject>;
  /** Aborted when the caller cancels or goes away. */
  readonly signal: AbortSignal;
  /** Receives what the upstream sends before the result (progress, log), already in the caller's terms. */
  readonly notify: (message: JsonObject) => void;
  /** Asks the client while the call runs; absent when it declared that it answers nothing, or has no stream to be asked on. */
  readonly ask?: Ask | undefined;
  /** Stands for the client between its calls: the session in the legacy era, the principal in the modern one. */
  readonly owner: string;
  /** Severity from which a legacy client hears log messages; a modern one says it in `_meta`. */
  readonly logLevel?: string | undefined;
  /** The `Mcp-Param-*` headers of a modern `tools/call` over HTTP, as received, by lower-case name. */
  readonly paramHeaders?: Readonly<Record<string, string>>;
}

/** What the policy said about a call. */
export interface Decision {
  readonly allow: boolean;
  /** Why not; shown to the caller only when the target is visible to them. */
  readonly reasons: readonly string[];
  /** True when no answer could be had (throw, deadline, wrong type): denied, and audited as `policy_error`. */
  readonly failed?: boolean;
  /** Set when nothing was decided for want of room (queue limit): answered as overloaded, not as denied. */
  readonly overloaded?: boolean;
  /** For the audit record. */
  readonly tags: readonly string[];
  /** Argument fields (dotted paths) to mask in the audit record. */
  readonly mask: readonly string[];
}

/** What became of a call. */
export type Outcome =
  | 'ok'
  | 'tool_error'
  | 'upstream_error'
  | 'denied'
  | 'policy_error'
  | 'limited'
  | 'overloaded'
  | 'invalid'
  | 'input_required'
  | 'task_started'
  | 'cancelled'
  | 'timed_out'
  | 'upstream_lost'
  | 'unknown'
  | 'shutdown';
