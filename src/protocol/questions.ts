/** What a server may ask a client during a call: requests in the legacy era, `inputRequests` in the modern one (2026-07-28, SEP-2322). */
import type { JsonObject } from '../model.ts';
import { isObject } from './envelope.ts';

/**
 * Method → the client's capability that allows it. `roots/list` is not here: what a caller answers to it would widen what
 * a server allows to everybody on the same process.
 */
export const QUESTIONS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
};

/** The capabilities to answer questions, out of all that a client declared; undefined when it cannot be asked anything. */
export function answerable(capabilities: Readonly<JsonObject>): JsonObject | undefined {
  const named = [...new Set(Object.values(QUESTIONS))].filter((name) => isObject(capabilities[name]));
  return named.length === 0
    ? undefined
    : Object.fromEntries(named.map((name) => [name, capabilities[name]!]));
}
