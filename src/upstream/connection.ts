/**
 * A session with one MCP server over a link: the handshake of either era, then requests with ids, tokens and envelopes
 * of this hop. Callers speak in the terms of the method; what the hop needs is added and taken away here.
 */
import { GatewayError } from '../errors.ts';
import type { Ask, Era, Json, JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import { modernHeaders } from '../protocol/headers.ts';
import { parseLossless } from '../protocol/json.ts';
import { textOf, type Slices } from '../protocol/slices.ts';
import { isLegacyVersion, LEGACY_VERSIONS, META, metaOf, MODERN_VERSION } from '../protocol/versions.ts';
import { QUESTIONS } from '../protocol/questions.ts';
import { startDeadline, type Deadline } from './deadline.ts';
import { keepOpen } from './keep-open.ts';
import { LinkError, type Link, type LinkEvents } from './link.ts';

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

/** What the server said of itself in the handshake. */
export interface ServerFacts {
  readonly era: Era;
  readonly version: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions?: string;
}

export interface Connection {
  readonly server: ServerFacts;
  /** @throws LinkError, or GatewayError `timed_out`, or the reason of the signal. */
  request(request: UpstreamRequest): Promise<Slices>;
  /** Opens the stream for messages that belong to no request, and keeps it open. */
  watch(events: Pick<LinkEvents, 'closed' | 'missed'>): void;
  /** A message that came outside of any request's stream. @returns whether it belonged to a request of ours. */
  receive(message: JsonObject): boolean;
  /** Closes when the requests under way have ended: for a connection that another has replaced. */
  retire(): void;
  close(): Promise<void>;
}

/** Which era to try first. A stdio server of the old era may end at a request before `initialize`, so there legacy comes first. */
export interface Handshake {
  readonly gateway: JsonObject;
  /** What is declared to a legacy server: what the caller of this connection answers. Default: nothing. */
  readonly capabilities?: JsonObject | undefined;
  readonly prefer: Era;
  /** Milliseconds for each step. */
  readonly timeout: number;
  /** Receives every message of the server that belongs to no request. */
  readonly onMessage: (message: JsonObject) => void;
}

/** @throws LinkError with the reason when neither era gets an answer. */
export async function connect(link: Link, handshake: Handshake): Promise<Connection> {
  const hop = createHop(link, handshake);
  const order = handshake.prefer === 'modern' ? [discover, initialize] : [initialize, discover];
  const failures: string[] = [];
  for (const attempt of order) {
    const server = await attempt(hop, handshake).catch((error: unknown) => {
      if (!worthAnotherEra(error)) throw error;
      failures.push(error instanceof Error ? error.message : String(error));
      return undefined;
    });
    if (server)
      return {
        ...hop,
        server,
        request: (request) => hop.send(server.era, request),
        watch: (events) => hop.watch(server, events),
      };
  }
  throw new LinkError(
    'bad_answer',
    `the server answers neither initialize nor server/discover: ${[...new Set(failures)].join('; ')}`,
  );
}

/** Not to be reached, or refused for the credential: the other era would fare no better. */
function worthAnotherEra(error: unknown): boolean {
  if (error instanceof GatewayError) return true;
  return (
    error instanceof LinkError &&
    error.failure !== 'unsent' &&
    error.failure !== 'lost' &&
    error.status !== 401 &&
    error.status !== 403
  );
}

async function initialize(
  hop: Hop,
  { gateway, capabilities = {}, timeout }: Handshake,
): Promise<ServerFacts> {
  const params = { protocolVersion: LEGACY_VERSIONS[0], capabilities, clientInfo: gateway };
  const result = resultOf(await hop.send('legacy', { method: 'initialize', params, timeout }));
  const version = result['protocolVersion'];
  if (!isLegacyVersion(version))
    throw new LinkError('bad_answer', `initialize answered with protocol version ${JSON.stringify(version)}`);
  hop.version = version;
  // Awaited: over HTTP a request could overtake it, and some servers refuse what comes before it.
  await hop.post('notifications/initialized');
  return facts('legacy', version, result);
}

async function discover(hop: Hop, { timeout }: Handshake): Promise<ServerFacts> {
  const result = resultOf(await hop.send('modern', { method: 'server/discover', params: {}, timeout }));
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions) || !versions.includes(MODERN_VERSION))
    throw new LinkError('bad_answer', `server/discover does not offer ${MODERN_VERSION}`);
  return facts('modern', MODERN_VERSION, {
    ...result,
    serverInfo: metaOf(result)[META.serverInfo] ?? result['serverInfo'] ?? {},
  });
}

function facts(era: Era, version: string, result: JsonObject): ServerFacts {
  const { capabilities, serverInfo, instructions } = result;
  return {
    era,
    version,
    capabilities: isObject(capabilities) ? capabilities : {},
    serverInfo: isObject(serverInfo) ? serverInfo : {},
    ...(typeof instructions === 'string' ? { instructions } : {}),
  };
}

/** @throws LinkError `bad_answer` with the server's message when the answer is an error. */
export function resultOf(answer: Slices): JsonObject {
  const text = textOf(answer.bytes, answer.top.get('result'));
  const result = text === undefined ? undefined : parseLossless(text);
  if (isObject(result)) return result;
  throw new LinkError(
    'bad_answer',
    `answered ${textOf(answer.bytes, answer.top.get('error'))?.slice(0, 200) ?? 'no object'}`,
  );
}

interface Hop {
  version: string | undefined;
  send(era: Era, request: UpstreamRequest): Promise<Slices>;
  post(method: string, params?: JsonObject): Promise<void>;
  watch(server: ServerFacts, events: Pick<LinkEvents, 'closed' | 'missed'>): void;
  receive(message: JsonObject): boolean;
  retire(): void;
  close(): Promise<void>;
}

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

function createHop(link: Link, { gateway, onMessage }: Handshake): Hop {
  let lastId = 0;
  let retiring = false;
  const closed = new AbortController();
  /** Our progress token is the id of our request: unique on this connection, and a number (some servers take no other). */
  const progress = new Map<number, Progress>();
  const running = new Set<Running>();
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

  /** A message on the stream of one request, or on the common one: then it is of the only request there is, or nobody's. */
  function deliver(message: JsonObject, on?: Running): boolean {
    const [only] = running;
    const owner = on ?? (running.size === 1 ? only : undefined);
    if ('id' in message) return (void answer(message, owner), true);
    const params = message['params'];
    const token = isObject(params) ? params['progressToken'] : undefined;
    if (message['method'] === 'notifications/progress') {
      const waiting = progress.get(Number(token));
      waiting?.onMessage({ ...message, params: { ...(params as JsonObject), progressToken: waiting.token } });
      return true;
    }
    if (owner?.request.onMessage === undefined || message['method'] !== 'notifications/message') return false;
    owner.request.onMessage(message);
    return true;
  }

  /** Answers a request of the server; the clock of the call stands while its client is asked. */
  async function answer({ id, method, params }: JsonObject, owner: Running | undefined): Promise<void> {
    const resume = owner?.deadline.hold();
    const outcome = await reply(method, isObject(params) ? params : {}, owner).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: refusalOf(error) }),
    );
    resume?.();
    await link.post(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }), legacyHeaders());
  }

  async function reply(
    method: Json | undefined,
    params: JsonObject,
    owner: Running | undefined,
  ): Promise<JsonObject> {
    if (method === 'ping') return {};
    if (typeof method !== 'string' || !(method in QUESTIONS))
      throw refused('the gateway offers no such capability');
    if (owner === undefined) throw refused('it cannot be told whose call this question belongs to');
    if (owner.request.ask === undefined) throw refused('the client of this call answers no questions');
    return owner.request.ask({ method, params });
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

  function watch({ era, capabilities }: ServerFacts, events: Pick<LinkEvents, 'closed' | 'missed'>): void {
    if (era === 'legacy') return link.listen?.(legacyHeaders());
    const changes = Object.fromEntries(
      ['tools', 'prompts', 'resources']
        .filter((kind) => isObject(capabilities[kind]) && capabilities[kind]['listChanged'] === true)
        .map((kind) => [`${kind}ListChanged`, true]),
    );
    if (Object.keys(changes).length === 0) return;
    let streams = 0;
    void keepOpen(async () => {
      if (streams++ > 0) events.missed();
      return listen({ notifications: changes }, events.closed);
    }, closed.signal);
  }

  /** One stream of a modern server's announcements. @returns whether to open another when it has ended. */
  async function listen(params: JsonObject, gone: (reason: string) => void): Promise<boolean> {
    const request = { method: 'subscriptions/listen', params, timeout: 0, signal: closed.signal };
    try {
      const answer = await send('modern', request);
      return answer.top.has('result');
    } catch (error) {
      if (!(error instanceof LinkError) || closed.signal.aborted) return false;
      if (error.failure === 'unsent') gone(error.message);
      return error.failure === 'lost';
    }
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
    receive: (message) => deliver(message),
    retire,
    close,
  };
  return hop;
}
