/** What goes back to the caller: the `result` or the `error` of the JSON-RPC answer, already serialised. */
import { ERRORS, toJsonRpc, toToolResult, type GatewayError } from '../errors.ts';
import type { Era, JsonObject, Outcome } from '../model.ts';
import { META, MODERN_VERSION } from '../protocol/versions.ts';

export interface Answer {
  readonly member: 'result' | 'error';
  /** JSON. Bytes when it is what an upstream sent, unread. */
  readonly value: string | Buffer;
  readonly outcome: Outcome;
  /** HTTP status for the modern era, which has statuses for some errors; 200 otherwise. */
  readonly status: number;
  /** Seconds, when a repeat can succeed later. */
  readonly retryAfter?: number | undefined;
}

export function ok(value: JsonObject, era: Era): Answer {
  return {
    member: 'result',
    value: JSON.stringify(era === 'modern' ? { resultType: 'complete', ...value } : value),
    outcome: 'ok',
    status: 200,
  };
}

/** Members that a modern answer to a cacheable method must have. Answers depend on the caller: never shared, never kept. */
export const UNCACHED: JsonObject = { ttlMs: 0, cacheScope: 'private' };

/** Errors that a model can act on go out as tool results; faults of the request itself as JSON-RPC errors. */
const NEVER_A_RESULT: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022,
]);
/** The specification has an HTTP status for these (2026-07-28, "Transports"). */
const WITH_STATUS: ReadonlySet<number> = new Set([-32601, -32020, -32021, -32022]);

export function failed(
  error: GatewayError,
  call: { readonly method: string; readonly era: Era; readonly requestId: string },
): Answer {
  const { rpc, http } = ERRORS[error.code];
  const { outcome } = error;
  const { retryAfter } = error.details;
  if (call.method === 'tools/call' && !NEVER_A_RESULT.has(rpc))
    return { ...ok(toToolResult(error, call.requestId), call.era), outcome, retryAfter };
  const status = call.era === 'modern' && WITH_STATUS.has(rpc) ? http : 200;
  return {
    member: 'error',
    value: JSON.stringify(toJsonRpc(error, call.requestId)),
    outcome,
    status,
    retryAfter,
  };
}

/** `server/discover` (2026-07-28). */
export function discovery(identity: JsonObject, capabilities: JsonObject): JsonObject {
  return {
    supportedVersions: [MODERN_VERSION],
    capabilities,
    ...UNCACHED,
    _meta: { [META.serverInfo]: identity },
  };
}
