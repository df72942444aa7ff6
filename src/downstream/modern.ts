/** Clients of the modern era: every request stands alone, a closed stream is a cancellation (2026-07-28, "Transports: Streamable HTTP"). */
import { GatewayError } from '../errors.ts';
import type { Answer } from '../gateway/answer.ts';
import type { ListKind } from '../gateway/gateway.ts';
import type { Call, JsonObject } from '../model.ts';
import { isObject, type Id, type Incoming } from '../protocol/envelope.ts';
import { checkModernHeaders } from '../protocol/headers.ts';
import { selectParamHeaders } from '../protocol/param-headers.ts';
import { encodeEvent } from '../protocol/sse.ts';
import { META, metaOf } from '../protocol/versions.ts';
import { clientOf } from './client-info.ts';
import { logFilter } from './log-filter.ts';
import type { Arrival, EraHandler, McpDependencies, Sender } from './arrival.ts';
import { createReply } from './reply.ts';
import { EVENT_STREAM } from './streams.ts';

export function createModern({ gateway, streams }: McpDependencies): EraHandler {
  return async function modern(arrival, message) {
    if (message.kind !== 'request') return void arrival.response.writeHead(202).end();
    const { id, method, params } = message;
    checkModernHeaders(method, params, arrival.request.headers);
    if (method === 'subscriptions/listen') streams.admit();
    const abort = new AbortController();
    arrival.response.once('close', () => {
      if (!arrival.response.writableFinished)
        abort.abort(new GatewayError('cancelled', 'The client closed the stream.'));
    });
    // The stream of a subscription is opened when it is known what it brings.
    const attend = method === 'subscriptions/listen' ? undefined : streams.attend;
    const reply = createReply(arrival.response, arrival.accepts, attend);
    const call = {
      ...modernCall(arrival, message, abort.signal, reply.notify),
      ...(method === 'tools/call' && { paramHeaders: selectParamHeaders(arrival.request.headers) }),
    };
    const answer = await gateway.handle(call, arrival.bytes);
    if (method === 'subscriptions/listen' && answer.member === 'result') subscribe(arrival, id, answer);
    else reply.end(id, answer);
  };

  /** The stream stays open; the answer to the request would end it, and says what the stream brings. */
  function subscribe({ response, requestId }: Arrival, id: Id, answer: Answer): void {
    if (response.destroyed) return gateway.forget(requestId);
    const { kinds, meta, message } = subscriptionOf(id, answer);
    response.once('close', () => gateway.forget(requestId));
    streams.open({ response, kinds, meta, subscriber: requestId });
    response.writeHead(200, EVENT_STREAM);
    response.write(encodeEvent(JSON.stringify(message)));
  }
}

const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources'];

interface Subscription {
  readonly kinds: ReadonlySet<ListKind>;
  /** `_meta` of every message on it. */
  readonly meta: JsonObject;
  /** The acknowledgement. */
  readonly message: JsonObject;
}

/** What the request `id`, a `subscriptions/listen` that was answered with this, has subscribed to. */
export function subscriptionOf(id: Id, { value }: Answer): Subscription {
  const { notifications } = JSON.parse(value.toString()) as { notifications: JsonObject };
  const meta = { [META.subscriptionId]: id };
  return {
    kinds: new Set(KINDS.filter((kind) => notifications[`${kind}ListChanged`] === true)),
    meta,
    message: {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications, _meta: meta },
    },
  };
}

/** No level asked for = no log messages at all (2026-07-28, "Logging"). */
function logFilterOf(params: JsonObject, notify: Call['notify']): Call['notify'] {
  const level = metaOf(params)[META.logLevel];
  return logFilter(
    () => (typeof level === 'string' ? level : 'emergency'),
    (message) => {
      if (message['method'] !== 'notifications/message' || level !== undefined) notify(message);
    },
  );
}

/** A request as a Call; `notify` hears what is said before its answer. */
export function modernCall(
  { requestId, principal, source }: Sender,
  { method, params }: Incoming & { kind: 'request' },
  signal: AbortSignal,
  notify: Call['notify'],
): Call {
  const meta = metaOf(params);
  const capabilities = meta[META.clientCapabilities];
  return {
    requestId,
    method,
    principal,
    client: { ...clientOf(meta[META.clientInfo]), protocolVersion: meta[META.protocolVersion] as string },
    era: 'modern',
    profile: 'default',
    source,
    params,
    capabilities: isObject(capabilities) ? capabilities : {},
    signal,
    notify: logFilterOf(params, notify),
    owner: principal.key,
  };
}
