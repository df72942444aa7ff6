/**
 * The HTTP+SSE transport of the first revision, for hosts that know no other (2024-11-05, "Transports: HTTP with SSE").
 * Only there when `legacySse` is on.
 *
 *   GET /sse ──► event `endpoint`, then every message          POST /messages?sessionId=… ──► 202
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { GatewayError } from '../errors.ts';
import type { ListKind } from '../gateway/gateway.ts';
import type { Principal } from '../model.ts';
import { classify, idOf, type Id, type Incoming } from '../protocol/envelope.ts';
import { readJson } from '../protocol/json.ts';
import { encodeEvent } from '../protocol/sse.ts';
import { eraOf } from '../protocol/versions.ts';
import type { McpDependencies } from './arrival.ts';
import { readBody } from './body.ts';
import { checkOpen, createEndpoint, refuse, type Handler, type Visit } from './endpoint.ts';
import { accepted } from './reply.ts';
import { createStreamClient, type Outlet, type StreamClient } from './stream-client.ts';
import { ALL_LISTS, EVENT_STREAM, MAX_BEHIND } from './streams.ts';

/** The only revision that has this transport. */
const VERSION = '2024-11-05';
/** Requests of one client that may run at a time: their answers come on one stream. */
const MAX_RUNNING = 256;

/** A client with its stream open. */
interface Connected {
  readonly client: StreamClient;
  readonly principal: string;
  running: number;
}

/** @returns the handlers by path. */
export function createSse(dependencies: McpDependencies): Readonly<Record<string, Handler>> {
  const { config, authenticate, draining, streams } = dependencies;
  const base = config.publicUrl === undefined ? '' : new URL(config.publicUrl).pathname.replace(/\/+$/, '');
  const connected = new Map<string, Connected>();

  function open({ request, response }: Visit): void {
    checkOpen(draining);
    const principal = authenticate(request.headers);
    if (!accepted(request).events)
      throw new GatewayError('not_acceptable', 'A GET opens a stream: Accept must allow text/event-stream.');
    streams.admit();
    const id = randomUUID();
    const kinds = new Set<ListKind>();
    const client = createStreamClient({
      ...dependencies,
      id,
      principal,
      version: VERSION,
      outlet: outletOf(response, config.limits.result),
      greeted: () => ALL_LISTS.forEach((kind) => kinds.add(kind)),
    });
    connected.set(id, { client, principal: principal.key, running: 0 });
    response.once('close', () => {
      connected.delete(id);
      client.close();
    });
    response.writeHead(200, EVENT_STREAM);
    response.write(`event: endpoint\ndata: ${base}/messages?sessionId=${id}\n\n`);
    streams.open({ response, kinds, subscriber: id });
  }

  async function post(visit: Visit): Promise<void> {
    const { request, response, requestId } = visit;
    let id: Id | null = null;
    try {
      checkOpen(draining);
      const principal = authenticate(request.headers);
      const to = find(request.url ?? '', principal);
      const body = await readBody(request, config.limits.body);
      const value = readJson(body.toString('utf8'), config.limits.depth);
      id = idOf(value);
      const message = classify(value);
      checkEra(message);
      if (message.kind === 'request' && to.running >= MAX_RUNNING)
        throw new GatewayError('overloaded', `At most ${MAX_RUNNING} requests of one client run at a time.`);
      response.writeHead(202).end();
      const source = request.socket.remoteAddress ?? '';
      to.running++;
      await to.client.receive(message, { requestId, principal, source, bytes: body.length });
      to.running--;
    } catch (thrown) {
      refuse(dependencies, visit, id, thrown);
    }
  }

  /** The same answer for a session that never was and for one of somebody else. */
  function find(url: string, principal: Principal): Connected {
    const id = new URL(url, 'http://localhost').searchParams.get('sessionId') ?? '';
    const found = connected.get(id);
    if (found?.principal === principal.key) return found;
    throw new GatewayError(
      'session_unknown',
      'The session is not known here: its stream has ended, or it never was. Open /sse again.',
    );
  }

  return {
    '/sse': createEndpoint(dependencies, { GET: open }),
    '/messages': createEndpoint(dependencies, { POST: post }),
  };
}

function checkEra(message: Incoming): void {
  if (message.kind !== 'response' && eraOf(message.method, message.params, undefined) === 'modern')
    throw new GatewayError(
      'unsupported_version',
      'HTTP+SSE carries no request of 2026-07-28; send it to /mcp.',
      { data: { supported: [VERSION] } },
    );
}

/** A client that leaves more than `max` bytes unread is cut off. */
function outletOf(response: ServerResponse, max: number): Outlet {
  function send(text: string): void {
    if (response.writableEnded || response.destroyed) return;
    if (response.writableLength > max) response.destroy();
    else response.write(encodeEvent(text));
  }
  return {
    send,
    notify(message) {
      if (response.writableLength < MAX_BEHIND) send(JSON.stringify(message));
    },
  };
}
