/** Sessions of legacy clients: bound to the principal that opened them, ended by DELETE, by idleness, or by the cap. */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ClientInfo, JsonObject, Principal } from '../model.ts';
import type { Id } from '../protocol/envelope.ts';
import { createQuestions, type Questions } from './questions.ts';

export interface Session {
  readonly id: string;
  readonly principal: string;
  readonly client: ClientInfo;
  readonly capabilities: JsonObject;
  /** Calls that are running, so that a cancellation finds them. */
  readonly running: Map<Id, AbortController>;
  /** What the client was asked and has not answered. */
  readonly questions: Questions;
  /** Severity from which log messages are passed on (RFC 5424 names); undefined = all. */
  logLevel: string | undefined;
  /** Ends the GET stream, when one is open. */
  endStream: (() => void) | undefined;
}

export interface Sessions {
  open(principal: Principal, client: ClientInfo, capabilities: JsonObject): Session;
  /** undefined for an unknown id and for a session of another principal alike. */
  find(id: string, principal: Principal): Session | undefined;
  end(session: Session): void;
  count(): number;
}

export function createSession(
  id: string,
  principal: Principal,
  client: ClientInfo,
  capabilities: JsonObject,
): Session {
  return {
    id,
    principal: principal.key,
    client,
    capabilities,
    running: new Map(),
    questions: createQuestions(capabilities),
    logLevel: undefined,
    endStream: undefined,
  };
}

/** Ends what is open in it: the stream, the questions, the calls. */
export function endSession(session: Session): void {
  session.endStream?.();
  session.questions.end();
  for (const running of session.running.values()) running.abort(new Error('the session ended'));
}

/** At the cap the session that was idle longest makes room. `idle` in ms; `ended` hears the id of each that is over. */
export function createSessions(
  max: number,
  idle: number,
  ended: (id: string) => void = () => undefined,
): Sessions {
  const sessions = new LRUCache<string, Session>({
    max,
    ttl: idle,
    updateAgeOnGet: true,
    ttlAutopurge: false,
    dispose(session) {
      endSession(session);
      ended(session.id);
    },
  });
  return {
    open(principal, client, capabilities) {
      const session = createSession(randomUUID(), principal, client, capabilities);
      sessions.set(session.id, session);
      return session;
    },
    find(id, principal) {
      const session = sessions.get(id);
      return session?.principal === principal.key ? session : undefined;
    },
    end: (session) => void sessions.delete(session.id),
    count: () => sessions.size,
  };
}
