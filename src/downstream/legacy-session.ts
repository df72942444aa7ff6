/** What a client of the legacy era says, whatever carries it: `initialize`, then the requests and notifications of its session. */
import { GatewayError } from '../errors.ts';
import { negotiate } from '../gateway/answered.ts';
import type { Answer } from '../gateway/answer.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Call, ClientInfo, JsonObject } from '../model.ts';
import { isObject, type Id, type Incoming } from '../protocol/envelope.ts';
import type { Sender } from './arrival.ts';
import { clientOf } from './client-info.ts';
import { logFilter } from './log-filter.ts';
import type { Reply } from './reply.ts';
import type { Session } from './sessions.ts';

type Request = Incoming & { readonly kind: 'request' };

/** The answer to `initialize`, and what its session is opened with; no session when the answer is an error. */
export interface Greeting {
  readonly answer: Answer;
  readonly opens?: { readonly client: ClientInfo; readonly capabilities: JsonObject };
}

export async function greet(gateway: Gateway, sender: Sender, params: JsonObject): Promise<Greeting> {
  const requested = params['protocolVersion'];
  const client = {
    ...clientOf(params['clientInfo']),
    protocolVersion: typeof requested === 'string' ? requested : '',
  };
  const capabilities = isObject(params['capabilities']) ? params['capabilities'] : {};
  const { signal } = new AbortController();
  const call = callOf(sender, 'initialize', params, { client, capabilities }, signal);
  const answer = await gateway.handle(call, sender.bytes);
  if (answer.member === 'error') return { answer };
  return { answer, opens: { client: { ...client, protocolVersion: negotiate(requested) }, capabilities } };
}

/** One request of a session. `asks`: its client can be asked something on the way of the reply. */
export async function run(
  gateway: Gateway,
  sender: Sender,
  { id, method, params }: Request,
  session: Session,
  { reply, asks }: { readonly reply: Reply; readonly asks: boolean },
): Promise<void> {
  const abort = new AbortController();
  session.running.set(id, abort);
  try {
    const answer = await gateway.handle(
      {
        ...callOf(sender, method, params, session, abort.signal),
        notify: logFilter(() => session.logLevel, reply.notify),
        ask: asks ? session.questions.on(reply.notify, abort.signal) : undefined,
        owner: session.id,
        logLevel: session.logLevel ?? 'debug',
      },
      sender.bytes,
    );
    if (method === 'logging/setLevel' && answer.member === 'result')
      session.logLevel = params['level'] as string;
    reply.end(id, answer);
  } finally {
    if (session.running.get(id) === abort) session.running.delete(id);
  }
}

/** A notification or a response. In this era a closed connection is no cancellation; only the notification is. */
export function told(message: Exclude<Incoming, Request>, session: Session): void {
  if (message.kind === 'response') return void session.questions.receive(message);
  if (message.method !== 'notifications/cancelled') return;
  session.running
    .get(message.params['requestId'] as Id)
    ?.abort(new GatewayError('cancelled', 'The request was cancelled.'));
}

function callOf(
  { requestId, principal, source }: Sender,
  method: string,
  params: JsonObject,
  { client, capabilities }: { readonly client: ClientInfo; readonly capabilities: JsonObject },
  signal: AbortSignal,
): Call {
  const about = { requestId, method, principal, client, era: 'legacy', profile: 'default', source } as const;
  return { ...about, params, capabilities, signal, notify: () => undefined, owner: principal.key };
}
