/** Clients of the legacy era: `initialize`, a session, a GET stream, DELETE (2025-11-25, "Transports: Streamable HTTP"). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../errors.ts';
import { negotiate } from '../gateway/answered.ts';
import type { ListKind } from '../gateway/gateway.ts';
import type { Call, ClientInfo, JsonObject, Principal } from '../model.ts';
import { isObject, type Id, type Incoming } from '../protocol/envelope.ts';
import { ASSUMED_VERSION, isLegacyVersion } from '../protocol/versions.ts';
import { clientOf } from './client-info.ts';
import { logFilter } from './log-filter.ts';
import { versionHeader, type Arrival, type EraHandler, type McpDependencies } from './arrival.ts';
import { accepted, createReply } from './reply.ts';
import type { Session } from './sessions.ts';
import { EVENT_STREAM } from './streams.ts';

const ALL_LISTS: ReadonlySet<ListKind> = new Set(['tools', 'prompts', 'resources']);

export interface Legacy {
  readonly post: EraHandler;
  readonly listen: (request: IncomingMessage, response: ServerResponse) => void;
  readonly end: (request: IncomingMessage, response: ServerResponse) => void;
}

export function createLegacy({ gateway, sessions, streams, authenticate }: McpDependencies): Legacy {
  async function post(arrival: Arrival, message: Incoming): Promise<void> {
    if (message.kind === 'request' && message.method === 'initialize') return initialize(arrival, message);
    const session = find(arrival.request, arrival.principal);
    if (message.kind === 'request') return run(arrival, message, session);
    if (message.kind === 'notification') notified(message, session);
    else session.questions.receive(message);
    arrival.response.writeHead(202).end();
  }

  async function initialize(arrival: Arrival, { id, params }: Incoming & { kind: 'request' }): Promise<void> {
    const client = {
      ...clientOf(params['clientInfo']),
      protocolVersion: typeof params['protocolVersion'] === 'string' ? params['protocolVersion'] : '',
    };
    const capabilities = isObject(params['capabilities']) ? params['capabilities'] : {};
    const call = callOf(
      arrival,
      'initialize',
      params,
      { client, capabilities },
      new AbortController().signal,
    );
    const answer = await gateway.handle(call, arrival.bytes);
    const session =
      answer.member === 'result'
        ? sessions.open(
            arrival.principal,
            { ...client, protocolVersion: negotiate(params['protocolVersion']) },
            capabilities,
          )
        : undefined;
    createReply(arrival.response, arrival.accepts).end(
      id,
      answer,
      session && { 'mcp-session-id': session.id },
    );
  }

  async function run(
    arrival: Arrival,
    { id, method, params }: Incoming & { kind: 'request' },
    session: Session,
  ): Promise<void> {
    const reply = createReply(arrival.response, arrival.accepts);
    const abort = new AbortController();
    session.running.set(id, abort);
    try {
      const notify = logFilter(() => session.logLevel, reply.notify);
      const ask = arrival.accepts.events ? session.questions.on(reply.notify, abort.signal) : undefined;
      const answer = await gateway.handle(
        {
          ...callOf(arrival, method, params, session, abort.signal),
          notify,
          ask,
          owner: session.id,
          logLevel: session.logLevel ?? 'debug',
        },
        arrival.bytes,
      );
      if (method === 'logging/setLevel' && answer.member === 'result')
        session.logLevel = params['level'] as string;
      reply.end(id, answer);
    } finally {
      if (session.running.get(id) === abort) session.running.delete(id);
    }
  }

  /** In this era a closed connection is no cancellation; only this notification is. */
  function notified({ method, params }: Incoming & { kind: 'notification' }, session: Session): void {
    if (method === 'notifications/cancelled')
      session.running
        .get(params['requestId'] as Id)
        ?.abort(new GatewayError('cancelled', 'The request was cancelled.'));
  }

  function find(request: IncomingMessage, principal: Principal): Session {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string' || id === '')
      throw new GatewayError(
        'session_required',
        'The header Mcp-Session-Id is missing: send "initialize" first.',
      );
    const version = versionHeader(request) ?? ASSUMED_VERSION;
    if (!isLegacyVersion(version))
      throw new GatewayError(
        'invalid_request',
        `The header MCP-Protocol-Version names ${JSON.stringify(version)}, which this session does not speak.`,
      );
    const session = sessions.find(id, principal);
    if (session) return session;
    throw new GatewayError(
      'session_unknown',
      'The session is not known here: it ended, or it never was. Send "initialize" again.',
    );
  }

  function listen(request: IncomingMessage, response: ServerResponse): void {
    const session = find(request, authenticate(request.headers));
    if (!accepted(request).events)
      throw new GatewayError('not_acceptable', 'A GET opens a stream: Accept must allow text/event-stream.');
    streams.admit();
    session.endStream?.();
    session.endStream = streams.open({ response, kinds: ALL_LISTS });
    response.writeHead(200, EVENT_STREAM).flushHeaders();
  }

  function end(request: IncomingMessage, response: ServerResponse): void {
    sessions.end(find(request, authenticate(request.headers)));
    response.writeHead(204).end();
  }

  return { post, listen, end };
}

function callOf(
  { requestId, principal, source }: Arrival,
  method: string,
  params: JsonObject,
  { client, capabilities }: { readonly client: ClientInfo; readonly capabilities: JsonObject },
  signal: AbortSignal,
): Call {
  const about = { requestId, method, principal, client, era: 'legacy', profile: 'default', source } as const;
  return { ...about, params, capabilities, signal, notify: () => undefined, owner: principal.key };
}
