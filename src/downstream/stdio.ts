/**
 * The gateway over stdin and stdout, for a host that can only start a command: one message a line, both eras, one caller
 * (2025-11-25 and 2026-07-28, "Transports: stdio").
 */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { GatewayError } from '../errors.ts';
import type { Answer } from '../gateway/answer.ts';
import type { ListKind } from '../gateway/gateway.ts';
import type { JsonObject, Principal } from '../model.ts';
import { classify, idOf, type Id, type Incoming } from '../protocol/envelope.ts';
import { checkModernMeta } from '../protocol/headers.ts';
import { readJson } from '../protocol/json.ts';
import { lineReader } from '../protocol/lines.ts';
import { eraOf } from '../protocol/versions.ts';
import type { McpDependencies, Sender } from './arrival.ts';
import { modernCall, subscriptionOf } from './modern.ts';
import { createStreamClient, refuseOn, replyOn, type Outlet } from './stream-client.ts';
import { ALL_LISTS, listChanged, MAX_BEHIND, resourceUpdated } from './streams.ts';

const SOURCE = 'stdio';

export interface StdioOptions extends Pick<McpDependencies, 'config' | 'gateway' | 'log' | 'requestId'> {
  readonly principal: Principal;
  readonly input: Readable;
  readonly output: Writable;
}

/** The one client on the other end of the pipes. */
export interface StdioClient {
  /** Resolves when the client has closed its end, or reads no more. */
  readonly ended: Promise<void>;
  /** Resolves when no call runs. */
  idle(): Promise<void>;
  /** Cancels what still runs. */
  close(): void;
}

/** Who wants to hear of changes: the session, or a `subscriptions/listen`. */
interface Listener {
  readonly kinds: ReadonlySet<ListKind>;
  readonly meta?: JsonObject;
}

export function serveStdio(options: StdioOptions): StdioClient {
  const { config, gateway, principal, input, output } = options;
  const outlet = outletOf(output);
  const reply = replyOn(outlet);
  const sessionId = randomUUID();
  const listeners = new Map<string, Listener>();
  /** Modern requests that run, and those that listen. */
  const running = new Map<Id, AbortController>();
  const busy = new Set<Promise<void>>();
  const session = createStreamClient({
    ...options,
    id: sessionId,
    outlet,
    greeted: () => listeners.set(sessionId, { kinds: ALL_LISTS }),
  });

  async function modern(message: Incoming, sender: Sender): Promise<void> {
    if (message.kind !== 'request') return;
    const { id, method, params } = message;
    checkModernMeta(params);
    if (listeners.size >= config.limits.streams)
      throw new GatewayError('overloaded', 'Too many subscriptions are open.');
    const abort = new AbortController();
    running.set(id, abort);
    const done = (): void => void (running.get(id) === abort && running.delete(id));
    try {
      const call = modernCall(sender, message, abort.signal, reply.notify);
      const answer = await gateway.handle(call, sender.bytes);
      if (method !== 'subscriptions/listen' || answer.member === 'error') return reply.end(id, answer);
      listen(sender.requestId, id, answer, abort.signal);
    } finally {
      if (!listeners.has(sender.requestId)) done();
    }
  }

  /** Lasts until it is cancelled: on this transport by a notification. */
  function listen(subscriber: string, id: Id, answer: Answer, signal: AbortSignal): void {
    if (signal.aborted) return gateway.forget(subscriber);
    const { kinds, meta, message } = subscriptionOf(id, answer);
    listeners.set(subscriber, { kinds, meta });
    outlet.send(JSON.stringify(message));
    signal.addEventListener('abort', () => {
      listeners.delete(subscriber);
      running.delete(id);
      gateway.forget(subscriber);
    });
  }

  async function dispatch(message: Incoming, sender: Sender): Promise<void> {
    const { params = {}, method = '' } = message.kind === 'response' ? {} : message;
    if (method === 'notifications/cancelled')
      running
        .get(params['requestId'] as Id)
        ?.abort(new GatewayError('cancelled', 'The request was cancelled.'));
    return eraOf(method, params, undefined) === 'modern'
      ? modern(message, sender)
      : session.receive(message, sender);
  }

  async function receive(line: Buffer): Promise<void> {
    const requestId = options.requestId();
    let id: Id | null = null;
    try {
      if (!isUtf8(line)) throw new GatewayError('parse_error', 'The line is not valid UTF-8.');
      const text = line.toString('utf8');
      if (text.trim() === '') return;
      const value = readJson(text, config.limits.depth);
      id = idOf(value);
      await dispatch(classify(value), { requestId, principal, source: SOURCE, bytes: line.length });
    } catch (thrown) {
      refuseOn(outlet, options, { requestId, source: SOURCE }, id, thrown);
    }
  }

  function tooLong(): void {
    const why = `The line is longer than limits.body (${config.limits.body} bytes).`;
    const sender = { requestId: options.requestId(), source: SOURCE };
    refuseOn(outlet, options, sender, null, new GatewayError('too_large', why));
  }

  const work = (line: Buffer): void => {
    const done = receive(line).finally(() => busy.delete(done));
    busy.add(done);
  };
  input.on('data', lineReader(config.limits.body, { line: work, overlong: tooLong }));
  const endings = [
    gateway.onListsChanged((changed) => {
      for (const { kinds, meta } of listeners.values())
        for (const kind of changed) if (kinds.has(kind)) outlet.notify(listChanged(kind, meta));
    }),
    gateway.onResourceUpdated((subscriber, uri) => {
      const listener = listeners.get(subscriber);
      if (listener) outlet.notify(resourceUpdated(uri, listener.meta));
    }),
  ];

  return {
    ended: new Promise((resolve) => {
      for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
      output.on('error', () => resolve());
    }),
    async idle() {
      await Promise.all(busy);
    },
    close() {
      for (const end of endings) end();
      for (const abort of running.values()) abort.abort(new GatewayError('shutdown', 'The gateway ends.'));
      session.close();
    },
  };
}

/** JSON of others may hold line ends between its tokens; each would end the message. */
function outletOf(output: Writable): Outlet {
  function send(text: string): void {
    if (output.writable) output.write(`${/[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, ' ') : text}\n`);
  }
  return {
    send,
    notify(message) {
      if (output.writableLength < MAX_BEHIND) send(JSON.stringify(message));
    },
  };
}
