/** Clients of the legacy era: `initialize`, a session, a GET stream, DELETE (2025-11-25, "Transports: Streamable HTTP"). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../errors.ts';
import type { Principal } from '../model.ts';
import type { Incoming } from '../protocol/envelope.ts';
import { ASSUMED_VERSION, isLegacyVersion } from '../protocol/versions.ts';
import { versionHeader, type Arrival, type EraHandler, type McpDependencies } from './arrival.ts';
import { greet, run, told } from './legacy-session.ts';
import { accepted, createReply } from './reply.ts';
import type { Session } from './sessions.ts';
import { ALL_LISTS, EVENT_STREAM } from './streams.ts';

export interface Legacy {
  readonly post: EraHandler;
  readonly listen: (request: IncomingMessage, response: ServerResponse) => void;
  readonly end: (request: IncomingMessage, response: ServerResponse) => void;
}

export function createLegacy({ gateway, sessions, streams, authenticate }: McpDependencies): Legacy {
  async function post(arrival: Arrival, message: Incoming): Promise<void> {
    if (message.kind === 'request' && message.method === 'initialize') return initialize(arrival, message);
    const session = find(arrival.request, arrival.principal);
    const { response, accepts } = arrival;
    if (message.kind === 'request')
      return run(gateway, arrival, message, session, {
        reply: createReply(response, accepts, streams.attend),
        asks: accepts.events,
      });
    told(message, session);
    response.writeHead(202).end();
  }

  async function initialize(arrival: Arrival, { id, params }: Incoming & { kind: 'request' }): Promise<void> {
    const { answer, opens } = await greet(gateway, arrival, params);
    const session = opens && sessions.open(arrival.principal, opens.client, opens.capabilities);
    createReply(arrival.response, arrival.accepts).end(
      id,
      answer,
      session && { 'mcp-session-id': session.id },
    );
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
    session.endStream = streams.open({ response, kinds: ALL_LISTS, subscriber: session.id });
    response.writeHead(200, EVENT_STREAM).flushHeaders();
  }

  function end(request: IncomingMessage, response: ServerResponse): void {
    sessions.end(find(request, authenticate(request.headers)));
    response.writeHead(204).end();
  }

  return { post, listen, end };
}
