/**
 * A running call whose legacy server asks, with a client of the modern era: the question becomes the answer to the
 * client's request, the call waits (parked) until the client repeats its request with the responses.
 *
 *   ask ─► open questions ─► `input_required` … client … `inputResponses` ─► give ─► the server goes on
 */
import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import type { Ask, Call, JsonObject, Question } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import type { Slices } from '../protocol/slices.ts';

interface Open {
  readonly question: Question;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: GatewayError) => void;
}

export interface Conversation {
  readonly ask: Ask;
  /** Where progress and log messages go: to the round that the client waits for. */
  notify: Call['notify'];
  /** Aborts the call at the upstream. */
  readonly abort: AbortController;
  /** The questions that wait, as the members of `inputRequests`. */
  questions(): JsonObject;
  /** Waits for the answer of the upstream, or until it asks something. */
  next(answer: Promise<Slices>): Promise<Slices | 'asked'>;
  /** Passes on `inputResponses`; what is missing among them counts as refused. */
  give(responses: JsonObject): void;
}

export function createConversation(): Conversation {
  const open = new Map<string, Open>();
  const abort = new AbortController();
  let count = 0;
  let wake: () => void = () => undefined;
  return {
    abort,
    notify: () => undefined,
    ask: (question) =>
      new Promise((resolve, reject) => {
        const key = `question-${++count}`;
        open.set(key, { question, resolve, reject });
        question.withdrawn?.addEventListener(
          'abort',
          () =>
            open.delete(key) && reject(new GatewayError('cancelled', 'The server withdrew its question.')),
        );
        wake();
      }),
    questions: () =>
      Object.fromEntries(
        [...open].map(
          ([
            key,
            {
              question: { method, params },
            },
          ]) => [key, { method, params }],
        ),
      ),
    next(answer) {
      const asked = new Promise<'asked'>((resolve) => (wake = () => resolve('asked')));
      if (open.size > 0) wake();
      return Promise.race([answer, asked]);
    },
    give(responses) {
      for (const [key, { resolve, reject }] of open) {
        open.delete(key);
        const response = responses[key];
        if (isObject(response)) resolve(response);
        else reject(new GatewayError('invalid_params', `The client sent no response to ${key}.`));
      }
    },
  };
}

/** A call that waits for its client. */
export interface Parked {
  /** Whose call at which upstream: of these only a few may wait. */
  readonly place: string;
  readonly conversation: Conversation;
  readonly answer: Promise<Slices>;
}

export interface ParkingLot {
  /** Ends the oldest calls that wait at a place, so that a client that never comes back holds up none of its next calls. */
  makeRoom(place: string): void;
  /** @returns the id to take it back by, once. */
  park(call: Parked): string;
  take(id: string): Parked | undefined;
  close(): void;
}

/** Calls that may wait at one place; fewer than the connections that one owner may have (upstream/upstream.ts). */
const EACH = 3;

/** At most `max` calls wait, each `ttl` ms; one that nobody comes back for is cancelled at its upstream. */
export function createParkingLot(max: number, ttl: number): ParkingLot {
  const parked = new LRUCache<string, Parked>({
    max,
    ttl,
    ttlAutopurge: true,
    dispose(call, _id, reason) {
      if (reason !== 'delete')
        call.conversation.abort.abort(
          new GatewayError('cancelled', 'The client did not come back with its responses.'),
        );
    },
  });
  return {
    makeRoom(place) {
      const there = [...parked.entries()].filter(([, call]) => call.place === place);
      // The cache lists the newest first.
      for (const [id, { conversation }] of there.slice(EACH - 1)) {
        parked.delete(id);
        conversation.abort.abort(
          new GatewayError('cancelled', 'The client left too many calls without its responses.'),
        );
      }
    },
    park(call) {
      // Its failure is told to whoever takes it; until then nobody listens.
      call.answer.catch(() => undefined);
      const id = randomUUID();
      parked.set(id, call);
      return id;
    },
    take(id) {
      const call = parked.get(id);
      parked.delete(id);
      return call;
    },
    close() {
      for (const { conversation } of parked.values())
        conversation.abort.abort(new GatewayError('shutdown', 'The gateway is shutting down.'));
      parked.clear();
    },
  };
}
