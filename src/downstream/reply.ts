/**
 * The answer to one POST: JSON when there is nothing to say before it, a stream of events as soon as there is
 * (2025-11-25 and 2026-07-28, "Transports: Streamable HTTP").
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS, GatewayError, toJsonRpc } from '../errors.ts';
import type { Answer } from '../gateway/answer.ts';
import type { JsonObject } from '../model.ts';
import type { Id } from '../protocol/envelope.ts';
import { encodeEvent, KEEP_ALIVE } from '../protocol/sse.ts';
import { EVENT_STREAM, type Streams } from './streams.ts';

/** Unread bytes at which a client that asked for progress gets no more of it. */
const MAX_BEHIND = 1024 * 1024;

export interface Accepts {
  readonly json: boolean;
  readonly events: boolean;
}

/** A client that sends no Accept, or a wildcard, takes either. @throws GatewayError `not_acceptable` when it takes neither. */
export function accepted({ headers }: IncomingMessage): Accepts {
  const accept = headers.accept?.toLowerCase() ?? '*/*';
  const any = accept.includes('*/*');
  const json = any || accept.includes('application/json') || accept.includes('application/*');
  const events = any || accept.includes('text/event-stream') || accept.includes('text/*');
  if (json || events) return { json, events };
  throw new GatewayError(
    'not_acceptable',
    'The Accept header allows neither application/json nor text/event-stream.',
  );
}

export interface Reply {
  /** Sends a notification before the answer; opens the stream. */
  notify(message: JsonObject): void;
  end(id: Id, answer: Answer, headers?: Readonly<Record<string, string>>): void;
}

/** With `attend` an answer that takes long becomes a stream, if the client takes one, and shows signs of life: proxies cut what is silent. */
export function createReply(response: ServerResponse, accepts: Accepts, attend?: Streams['attend']): Reply {
  let streaming = false;
  const leave = accepts.events ? attend?.(pulse) : undefined;

  function pulse(): void {
    if (response.writableEnded || response.destroyed) return leave?.();
    startStream();
    if (response.writableLength < MAX_BEHIND) response.write(KEEP_ALIVE);
  }

  function startStream(headers: Readonly<Record<string, string>> = {}): void {
    if (streaming) return;
    streaming = true;
    response.writeHead(200, { ...EVENT_STREAM, ...headers });
  }

  return {
    notify(message) {
      if (!accepts.events || response.writableEnded || response.destroyed) return;
      startStream();
      if (response.writableLength < MAX_BEHIND) response.write(encodeEvent(JSON.stringify(message)));
    },
    end(id, { member, value, status, retryAfter }, headers = {}) {
      leave?.();
      if (response.destroyed) return;
      if (streaming || !accepts.json) {
        startStream(headers);
        response.end(encodeEvent(answerText(id, { member, value })));
        return;
      }
      const body = compose(headOf(id, member), value);
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
        ...headers,
      });
      response.end(body);
    },
  };
}

const headOf = (id: Id, member: Answer['member']): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${member}":`;

/** The whole JSON-RPC answer. */
export const answerText = (id: Id, { member, value }: Pick<Answer, 'member' | 'value'>): string =>
  `${headOf(id, member)}${value.toString()}}`;

const CLOSE = Buffer.from('}');
/** Up to here a copy as text costs less than a second buffer to write: Node sends headers and text in one piece. */
const SHORT = 16 * 1024;

function compose(head: string, value: string | Buffer): string | Buffer {
  if (typeof value === 'string') return `${head}${value}}`;
  return value.length <= SHORT
    ? `${head}${value.toString('utf8')}}`
    : Buffer.concat([Buffer.from(head), value, CLOSE]);
}

/** An error that ends a request before it reached the route. */
export function sendError(
  response: ServerResponse,
  error: GatewayError,
  requestId: string,
  id: Id | null,
): void {
  if (response.headersSent) return void response.destroy();
  const { http } = ERRORS[error.code];
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: toJsonRpc(error, requestId) });
  response.writeHead(http === 200 ? 400 : http, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...(error.code === 'unauthenticated' ? { 'www-authenticate': 'Bearer realm="gatehouse"' } : {}),
    ...(error.details.retryAfter === undefined
      ? {}
      : { 'retry-after': String(Math.ceil(error.details.retryAfter)) }),
    // What is left of a body that was not read would be taken for the next request.
    ...(error.code === 'too_large' ? { connection: 'close' } : {}),
  });
  response.end(body);
}
