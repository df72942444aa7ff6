/**
 * A client of the legacy era whose messages all come and go on one lasting stream each way (HTTP+SSE, stdio): the stream is
 * the session.
 */
import { GatewayError, toJsonRpc } from '../errors.ts';
import type { JsonObject, Principal } from '../model.ts';
import type { Id, Incoming } from '../protocol/envelope.ts';
import type { McpDependencies, Sender } from './arrival.ts';
import { recordError } from './endpoint.ts';
import { greet, run, told } from './legacy-session.ts';
import { answerText, type Reply } from './reply.ts';
import { createSession, endSession, type Session } from './sessions.ts';

/** The way to the client: a reader that is too far behind may miss what is notified, never what is sent. */
export interface Outlet {
  notify(message: JsonObject): void;
  send(text: string): void;
}

export interface StreamClientOptions extends Pick<McpDependencies, 'gateway' | 'log'> {
  /** Of the session. */
  readonly id: string;
  readonly principal: Principal;
  readonly outlet: Outlet;
  /** The revision that belongs to the transport; without it the one that the client asks for. */
  readonly version?: string;
  /** The client is known now and can be told of changes. */
  readonly greeted: () => void;
}

export interface StreamClient {
  /** Resolves when the message has been dealt with; whatever fails is answered on the stream. */
  receive(message: Incoming, sender: Sender): Promise<void>;
  /** Ends its calls, its questions and its subscriptions. */
  close(): void;
}

export function createStreamClient(options: StreamClientOptions): StreamClient {
  const { gateway, outlet, id: sessionId, principal, version } = options;
  const reply = replyOn(outlet);
  let session: Session | undefined;
  /** Requests may come right behind `initialize`: on one stream they have an order. */
  let greeting: Promise<void> | undefined;

  async function initialize(sender: Sender, id: Id, params: JsonObject): Promise<void> {
    const asked =
      version !== undefined && typeof params['protocolVersion'] === 'string'
        ? { ...params, protocolVersion: version }
        : params;
    const { answer, opens } = await greet(gateway, sender, asked);
    if (opens) {
      close();
      session = createSession(sessionId, principal, opens.client, opens.capabilities);
      options.greeted();
    }
    reply.end(id, answer);
  }

  async function handle(message: Incoming, sender: Sender): Promise<void> {
    if (message.kind === 'request' && message.method === 'initialize')
      return (greeting = initialize(sender, message.id, message.params));
    await greeting?.catch(() => undefined);
    if (message.kind !== 'request') return session && told(message, session);
    if (!session) throw new GatewayError('session_required', 'Send "initialize" first.');
    return run(gateway, sender, message, session, { reply, asks: true });
  }

  function close(): void {
    if (session) endSession(session);
    session = undefined;
    gateway.forget(sessionId);
  }

  return {
    receive: (message, sender) =>
      handle(message, sender).catch((thrown: unknown) =>
        refuseOn(outlet, options, sender, message.kind === 'request' ? message.id : null, thrown),
      ),
    close,
  };
}

export const replyOn = ({ notify, send }: Outlet): Reply => ({
  notify,
  end: (id, answer) => send(answerText(id, answer)),
});

/** Sends an error, under the id of the message where it has one. */
export function refuseOn(
  outlet: Outlet,
  dependencies: Pick<McpDependencies, 'gateway' | 'log'>,
  { requestId, source }: Pick<Sender, 'requestId' | 'source'>,
  id: Id | null,
  thrown: unknown,
): void {
  const error = recordError(dependencies, requestId, source, thrown);
  outlet.send(JSON.stringify({ jsonrpc: '2.0', id, error: toJsonRpc(error, requestId) }));
}
