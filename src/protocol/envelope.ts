/** The JSON-RPC 2.0 envelope: which of the four kinds of message is this, and is it well-formed? */
import { GatewayError } from '../errors.ts';
import type { Json, JsonObject } from '../model.ts';

export type Id = string | number;

export type Incoming =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response'; readonly id: Id; readonly result?: Json; readonly error?: Json };

const MAX_ID = 1024;
const MAX_METHOD = 256;

// In every supported Node (V8 11.4); the compiler's library does not know it yet.
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): boolean };

/** A JSON object: no list, and no number that was kept digit by digit (`parseLossless`). */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);

const isId = (value: unknown): value is Id =>
  typeof value === 'string' ? value.length <= MAX_ID : typeof value === 'number' && Number.isInteger(value);

/** @throws GatewayError `invalid_request` naming what is wrong. Batches were removed in 2025-06-18 and are refused whole. */
export function classify(message: Json): Incoming {
  if (Array.isArray(message))
    throw new GatewayError(
      'invalid_request',
      'JSON-RPC batches are not supported: send one message per request.',
    );
  if (!isObject(message))
    throw new GatewayError('invalid_request', 'The body is not a JSON-RPC message: expected an object.');
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0')
    throw new GatewayError('invalid_request', 'The body is not a JSON-RPC message: "jsonrpc" must be "2.0".');
  if (method === undefined) return response(message);
  if (typeof method !== 'string' || method === '' || method.length > MAX_METHOD || method.includes('\0'))
    throw new GatewayError('invalid_request', '"method" must be a short, non-empty string.');
  if (params !== undefined && !isObject(params))
    throw new GatewayError('invalid_request', '"params" must be an object.');
  if (!('id' in message)) return { kind: 'notification', method, params: params ?? {} };
  if (!isId(id)) throw new GatewayError('invalid_request', '"id" must be a string or an integer.');
  return { kind: 'request', id, method, params: params ?? {} };
}

function response(message: JsonObject): Incoming {
  if (!isId(message['id']) || 'result' in message === 'error' in message)
    throw new GatewayError(
      'invalid_request',
      'The message is neither a request (no "method") nor a response (an "id" and one of "result", "error").',
    );
  const { id, result, error } = message;
  return { kind: 'response', id, ...(result === undefined ? { error: error! } : { result }) };
}

/** The id to answer an ill-formed message with: its own when it can be read, else null (JSON-RPC 2.0, section 5). */
export const idOf = (message: unknown): Id | null =>
  isObject(message) && isId(message['id']) ? message['id'] : null;
