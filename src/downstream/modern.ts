/** Clients of the modern era: every request stands alone, a closed stream is a cancellation (2026-07-28, "Transports: Streamable HTTP"). */
import { GatewayError } from '../errors.ts';
import type { ListKind } from '../gateway/gateway.ts';
import type { Call, JsonObject } from '../model.ts';
import { isObject, type Id, type Incoming } from '../protocol/envelope.ts';
import { checkModernHeaders } from '../protocol/headers.ts';
import { selectParamHeaders } from '../protocol/param-headers.ts';
import { encodeEvent } from '../protocol/sse.ts';
import { META, metaOf } from '../protocol/versions.ts';
import { clientOf } from './client-info.ts';
import { logFilter } from './log-filter.ts';
import type { Arrival, EraHandler, McpDependencies } from './arrival.ts';
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
    const reply = createReply(arrival.response, arrival.accepts);
    const call = callOf(arrival, message, abort.signal, logFilterOf(params, reply.notify));
    const answer = await gateway.handle(call, arrival.bytes);
    if (method === 'subscriptions/listen' && answer.member === 'result') subscribe(arrival, id, params);
    else reply.end(id, answer);
  };

  /** The stream stays open; the answer to the request would end it. */
  function subscribe({ response }: Arrival, id: Id, params: JsonObject): void {
    const asked = isObject(params['notifications']) ? params['notifications'] : {};
    const kinds = KINDS.filter(
      (kind) => asked[`${kind}ListChanged`] === true && kind in gateway.snapshot().capabilities,
    );
    const meta = { [META.subscriptionId]: id };
    streams.open({ response, kinds: new Set(kinds), meta });
    response.writeHead(200, EVENT_STREAM);
    const notifications = Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true]));
    response.write(
      encodeEvent(
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications, _meta: meta },
        }),
      ),
    );
  }
}

const KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources'];

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

function callOf(
  { request, requestId, principal, source }: Arrival,
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
    notify,
    owner: principal.key,
    ...(method === 'tools/call' && { paramHeaders: selectParamHeaders(request.headers) }),
  };
}
