/**
 * Requests over a link, with the ids, progress tokens and envelopes of this hop; and what the server says or asks
 * meanwhile. Callers speak in the terms of the method; what the hop needs is added and taken away here.
 */
import { GatewayError } from '../errors.ts';
import type { Ask, Era, Json, JsonObject, Question } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import { modernHeaders } from '../protocol/headers.ts';
import { QUESTIONS } from '../protocol/questions.ts';
import type { Slices } from '../protocol/slices.ts';
import { META, metaOf, MODERN_VERSION } from '../protocol/versions.ts';
import { startDeadline, type Deadline } from './deadline.ts';
import { openAnnouncements, type Announcements } from './announcements.ts';
import type { Link, LinkEvents } from './link.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** In the upstream's own terms; `_meta` as the caller sent it. */
  readonly params: JsonObject;
  /** Milliseconds until the request is given up; 0 = never. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  /** Receives the notifications that belong to this request, with the caller's own progress token. */
  readonly onMessage?: ((message: JsonObject) => void) | undefined;
  /** Answers what the server asks during this request; without it questions are refused. */
  readonly ask?: Ask | undefined;
  /** Whose connection a legacy server may ask on; see lanes.ts. */
  readonly lane?: { readonly owner: string; readonly capabilities: JsonObject } | undefined;
  /** The caller as a modern server is told of it; `logLevel` only when its own `_meta` cannot say it. */
  readonly client?:
    | { readonly info: JsonObject; readonly capabilities: JsonObject; readonly logLevel?: string | undefined }
    | undefined;
  /** `Mcp-Param-*` for a modern server. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What decides how a server announces changes. */
interface Watched {
  readonly era: Era;
  readonly capabilities: JsonObject;
}

/** One end of a link that speaks JSON-RPC; `version` is known after the handshake of the legacy era. */
export interface Hop {
  version: string | undefined;
  send(era: Era, request: UpstreamRequest): Promise<Slices>;
  post(method: string, params?: JsonObject): Promise<void>;
  watch(server: Watched, events: Pick<LinkEvents, 'closed' | 'missed'>): void;
  follow(uris: readonly string[]): void;
  receive(message: JsonObject): boolean;
  retire(): void;
  close(): Promise<void>;
}

/** A progress token is of this hop: to the client it would mean another request. */
function withoutToken(params: JsonObject): JsonObject {
  const { _meta, ...rest } = params;
  if (!isObject(_meta)) return params;
  const { progressToken: _token, ...meta } = _meta;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** A server that asks more at once is refused: every question holds something at the client's side. */
const MAX_QUESTIONS = 32;

/** A request that has not been answered yet. */
interface Running {
  readonly request: UpstreamRequest;
  readonly deadline: Deadline;
}

const refused = (why: string): GatewayError => new GatewayError('method_not_found', `Refused: ${why}.`);

/** What a server is told when its question has no answer: the client's own error where it gave one. */
function refusalOf(error: unknown): JsonObject {
  if (!(error instanceof GatewayError)) return { code: -32603, message: 'The client could not be asked.' };
  return isObject(error.details.data) && 'code' in error.details.data
    ? error.details.data
    : { code: -32601, message: error.message };
}

interface Progress {
  readonly token: Json;
  readonly onMessage: (message: JsonObject) => void;
}

export interface HopOptions {
  /** How the gateway names itself (`Implementation`). */
  readonly gateway: JsonObject;
  /** Receives every message of the server that belongs to no request. */
  readonly onMessage: (message: JsonObject) => void;
  /** One caller has this connection for itself, with one call at a time. */
  readonly exclusive?: boolean;
}

export function createHop(link: Link, { gateway, onMessage, exclusive = false }: HopOptions): Hop {
  let lastId = 0;
  let retiring = false;
  const closed = new AbortController();
  /** Our progress token is the id of our request: unique on this connection, and a number (some servers take no other). */
  const progress = new Map<number, Progress>();
  const running = new Set<Running>();
  /** Questions of the server that wait for an answer, by id. */
  const asked = new Map<string, AbortController>();
  let announcements: Announcements | undefined;
  const legacyHeaders = (): Record<string, string> =>
    hop.version === undefined ? {} : { 'mcp-protocol-version': hop.version };

  function envelope(
    era: Era,
    id: number,
    { params, client, onMessage: deliver }: UpstreamRequest,
  ): JsonObject {
    const meta = metaOf(params);
    const token = meta['progressToken'];
    if (era === 'legacy' && params['_meta'] === undefined) return params;
    const {
      [META.protocolVersion]: _v,
      [META.clientCapabilities]: _c,
      [META.clientInfo]: _i,
      [META.logLevel]: level = client?.logLevel,
      progressToken: _t,
      ...rest
    } = meta;
    if (token !== undefined && deliver) progress.set(id, { token, onMessage: deliver });
    const own: JsonObject = token !== undefined && deliver ? { ...rest, progressToken: id } : rest;
    if (era === 'legacy') return { ...params, _meta: own };
    const modern = {
      [META.protocolVersion]: MODERN_VERSION,
      [META.clientInfo]: client?.info ?? gateway,
      [META.clientCapabilities]: client?.capabilities ?? {},
      ...(level === undefined ? {} : { [META.logLevel]: level }),
    };
    return { ...params, _meta: { ...own, ...modern } };
  }

  /**
   * A message on the stream of one request, or on the common one: there it is of the only call on a connection that
   * one caller has for itself, else nobody's. What came late, of a call that has ended, must not reach another caller.
   */
  function deliver(message: JsonObject, on?: Running): boolean {
    const [only] = running;
    const owner = on ?? (exclusive && running.size === 1 ? only : undefined);
    if ('id' in message) return (void answer(message, owner), true);
    const params = message['params'];
    const token = isObject(params) ? params['progressToken'] : undefined;
    if (message['method'] === 'notifications/cancelled') {
      asked
        .get(JSON.stringify(isObject(params) ? params['requestId'] : undefined))
        ?.abort(new GatewayError('cancelled', 'The server withdrew its question.'));
      return true;
    }
    if (message['method'] === 'notifications/progress') {
      const waiting = progress.get(Number(token));
      waiting?.onMessage({ ...message, params: { ...(params as JsonObject), progressToken: waiting.token } });
      return true;
    }
    if (owner?.request.onMessage === undefined || message['method'] !== 'notifications/message') return false;
    owner.request.onMessage(message);
    return true;
  }

  /** Answers a request of the server, unless it is withdrawn; the clock of the call stands while its client is asked. */
  async function answer({ id, method, params }: JsonObject, owner: Running | undefined): Promise<void> {
    const key = JSON.stringify(id);
    const withdrawn = new AbortController();
    const resume = owner?.deadline.hold();
    const question = { params: isObject(params) ? withoutToken(params) : {}, withdrawn: withdrawn.signal };
    const full = asked.size >= MAX_QUESTIONS;
    if (!full) asked.set(key, withdrawn);
    const outcome = await (
      full ? Promise.reject(refused('too many questions are open')) : reply(method, question, owner)
    ).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: refusalOf(error) }),
    );
    if (asked.get(key) === withdrawn) asked.delete(key);
    resume?.();
    if (!withdrawn.signal.aborted)
      await link.post(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }), legacyHeaders());
  }

  async function reply(
    method: Json | undefined,
    question: Omit<Question, 'method'>,
    owner: Running | undefined,
  ): Promise<JsonObject> {
    if (method === 'ping') return {};
    if (typeof method !== 'string' || !(method in QUESTIONS))
      throw refused('the gateway offers no such capability');
    if (owner === undefined) throw refused('it cannot be told whose call this question belongs to');
    if (owner.request.ask === undefined) throw refused('the client of this call answers no questions');
    return owner.request.ask({ method, ...question });
  }

  async function send(era: Era, request: UpstreamRequest): Promise<Slices> {
    request.signal?.throwIfAborted();
    const id = ++lastId;
    const { method } = request;
    const params = envelope(era, id, request);
    const abort = new AbortController();
    const cancel = (): void => abort.abort(request.signal?.reason);
    request.signal?.addEventListener('abort', cancel, { once: true });
    const deadline = startDeadline(request.timeout, () =>
      abort.abort(new GatewayError('timed_out', `No answer within ${request.timeout / 1000} s.`)),
    );
    const entry: Running = { request, deadline };
    running.add(entry);
    try {
      return await link.exchange({
        id,
        method,
        params,
        text: `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`,
        headers:
          era === 'modern' ? { ...modernHeaders(method, params), ...request.headers } : legacyHeaders(),
        signal: abort.signal,
        onMessage: (message) => deliver(message, entry) || onMessage(message),
      });
    } catch (error) {
      // `initialize` must not be cancelled (2025-11-25, "Cancellation").
      if (abort.signal.aborted && method !== 'initialize' && link.cancelsByClosing !== era)
        void hop.post('notifications/cancelled', { requestId: id, reason: 'the caller gave up' });
      throw error;
    } finally {
      deadline.clear();
      running.delete(entry);
      progress.delete(id);
      request.signal?.removeEventListener('abort', cancel);
      if (running.size === 0 && retiring) void link.close();
    }
  }

  function watch({ era, capabilities }: Watched, events: Pick<LinkEvents, 'closed' | 'missed'>): void {
    if (era === 'legacy') return link.listen?.(legacyHeaders());
    const listening = (request: UpstreamRequest): Promise<Slices> => send('modern', request);
    announcements = openAnnouncements({ send: listening, capabilities, events, ended: closed.signal });
  }

  async function close(): Promise<void> {
    closed.abort();
    await link.close();
  }

  function retire(): void {
    retiring = true;
    closed.abort();
    if (running.size === 0) void link.close();
  }

  const hop: Hop = {
    version: undefined,
    send,
    post: (method, params) =>
      link.post(JSON.stringify({ jsonrpc: '2.0', method, ...(params ? { params } : {}) }), legacyHeaders()),
    watch,
    follow: (uris) => announcements?.follow(uris),
    receive: (message) => deliver(message),
    retire,
    close,
  };
  return hop;
}
