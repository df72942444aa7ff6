/**
 * The catalogue of errors a caller can get: code, JSON-RPC number, HTTP status and audit outcome in one table,
 * and the two shapes in which they go out. Own codes lie outside -32768..-32000 (2026-07-28, "Error codes").
 */
import type { JsonObject, Outcome } from './model.ts';

interface Row {
  readonly rpc: number;
  /** HTTP status when the error ends the request before the route; on the route the status is 200. */
  readonly http: number;
  readonly outcome: Outcome;
  /** For the page of errors. */
  readonly meaning: string;
}

export const ERRORS = {
  parse_error: { rpc: -32700, http: 400, outcome: 'invalid', meaning: 'The body is no JSON, or no UTF-8.' },
  invalid_request: {
    rpc: -32600,
    http: 400,
    outcome: 'invalid',
    meaning: 'The message is no JSON-RPC request, or can be read in two ways.',
  },
  unsupported_media_type: {
    rpc: -32600,
    http: 415,
    outcome: 'invalid',
    meaning: 'The body is not declared as JSON in UTF-8, or is compressed.',
  },
  not_acceptable: {
    rpc: -32600,
    http: 406,
    outcome: 'invalid',
    meaning: 'The client takes neither JSON nor an event stream.',
  },
  too_large: { rpc: -32600, http: 413, outcome: 'invalid', meaning: 'The body is larger than limits.body.' },
  forbidden_host: {
    rpc: -32600,
    http: 403,
    outcome: 'invalid',
    meaning: 'The Host or Origin header names nobody that is served here.',
  },
  unauthenticated: {
    rpc: -32600,
    http: 401,
    outcome: 'denied',
    meaning: 'No API key, or one that is not known.',
  },
  session_required: {
    rpc: -32600,
    http: 400,
    outcome: 'invalid',
    meaning: 'A request of the legacy era without a session.',
  },
  session_unknown: {
    rpc: -32600,
    http: 404,
    outcome: 'invalid',
    meaning: 'The session ended, never was, or belongs to another.',
  },
  method_not_found: {
    rpc: -32601,
    http: 404,
    outcome: 'invalid',
    meaning: 'The method does not exist in this era, or no server behind the gateway offers it.',
  },
  header_mismatch: {
    rpc: -32020,
    http: 400,
    outcome: 'invalid',
    meaning: 'A header of the modern era is missing or does not agree with the body.',
  },
  missing_capability: {
    rpc: -32021,
    http: 400,
    outcome: 'invalid',
    meaning: 'The server needs an answer that this client declared not to give.',
  },
  unsupported_version: {
    rpc: -32022,
    http: 400,
    outcome: 'invalid',
    meaning: 'The protocol version is not spoken here.',
  },
  invalid_params: {
    rpc: -32602,
    http: 200,
    outcome: 'invalid',
    meaning: 'A parameter is missing, has the wrong type, or is not valid any more.',
  },
  unknown_target: {
    rpc: -32602,
    http: 200,
    outcome: 'invalid',
    meaning: 'The tool, prompt or resource does not exist, or not for this caller.',
  },
  internal: {
    rpc: -32603,
    http: 500,
    outcome: 'unknown',
    meaning: 'A fault of the gateway; its log has the reason.',
  },
  denied: {
    rpc: 1001,
    http: 200,
    outcome: 'denied',
    meaning: 'The access policy refuses this use, and says why.',
  },
  policy_error: {
    rpc: 1001,
    http: 200,
    outcome: 'policy_error',
    meaning: 'The access policy could not decide, so the call was refused.',
  },
  limited: { rpc: 1002, http: 200, outcome: 'limited', meaning: 'A rate limit is used up.' },
  overloaded: { rpc: 1003, http: 503, outcome: 'overloaded', meaning: 'Too much waits already.' },
  upstream_unavailable: {
    rpc: 1004,
    http: 200,
    outcome: 'upstream_lost',
    meaning: 'The server is not running or cannot be reached; the call was not carried out.',
  },
  upstream_error: {
    rpc: 1004,
    http: 200,
    outcome: 'upstream_error',
    meaning: 'The server gave no usable answer.',
  },
  timed_out: {
    rpc: 1005,
    http: 200,
    outcome: 'timed_out',
    meaning: 'No answer within the timeout of the upstream.',
  },
  outcome_unknown: {
    rpc: 1006,
    http: 200,
    outcome: 'unknown',
    meaning: 'The server went away in the middle: whether the call was carried out is not known.',
  },
  cancelled: { rpc: 1005, http: 200, outcome: 'cancelled', meaning: 'The client cancelled, or went away.' },
  shutdown: { rpc: 1003, http: 503, outcome: 'shutdown', meaning: 'The gateway is shutting down.' },
} as const satisfies Record<string, Row>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetails {
  /** Seconds until a repeat can succeed. */
  readonly retryAfter?: number;
  readonly upstream?: string;
  /** Further members of the JSON-RPC error's `data`, as the specification asks for some codes. */
  readonly data?: JsonObject;
  /** For the audit only; never sent to the caller. */
  readonly hidden?: string;
  /** What the audit calls it, where that is more than the caller may know. */
  readonly outcome?: Outcome;
  readonly cause?: unknown;
}

/** An error that crosses the wire. Everything else that is thrown is a fault of ours and goes out as `internal`. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.details = details;
  }

  get outcome(): Outcome {
    return this.details.outcome ?? ERRORS[this.code].outcome;
  }
}

/** The content both shapes share: `{ code, reason, requestId, retryAfter?, upstream? }` (design: "What the caller gets"). */
function facts(error: GatewayError, requestId: string): JsonObject {
  const { retryAfter, upstream } = error.details;
  return {
    code: error.code,
    reason: error.message,
    requestId,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(upstream === undefined ? {} : { upstream }),
  };
}

/** JSON-RPC `error` object. */
export function toJsonRpc(error: GatewayError, requestId: string): JsonObject {
  return {
    code: ERRORS[error.code].rpc,
    message: error.message,
    data: { ...facts(error, requestId), ...error.details.data },
  };
}

/** A tool result with `isError`, which a model can read and act on. */
export function toToolResult(error: GatewayError, requestId: string): JsonObject {
  return {
    content: [{ type: 'text', text: error.message }],
    isError: true,
    _meta: { 'gatehouse/error': facts(error, requestId) },
  };
}

/** Any thrown value as the error its caller sees. Text of unknown errors stays inside: it may carry secrets. */
export function asGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError
    ? thrown
    : new GatewayError('internal', 'The gateway failed on this request; its log has the reason.', {
        cause: thrown,
      });
}
