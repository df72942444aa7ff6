/**
 * Every request and notification of both eras, in both directions, as data: in which era it exists and what the gateway
 * does with it. A request that is not in `METHODS` is refused with -32601.
 */
import type { Era, TargetKind } from '../model.ts';

export interface Method {
  readonly eras: readonly Era[];
  /**
   * `answered`: by the gateway itself. `merged`: from the lists of all upstreams. `forwarded`: to the one upstream
   * that owns the target.
   */
  readonly rule: 'answered' | 'merged' | 'forwarded';
  /** The capability that some upstream must have for this method to exist. */
  readonly capability?: string;
  /** merged: what is listed, and the member of the result that holds it. */
  readonly list?: { readonly kind: TargetKind; readonly member: string };
  /** forwarded: the member of `params` that names the target. */
  readonly target?: 'name' | 'uri' | 'ref';
  /** Subscribes to the target, or no longer: the upstream hears of the first subscriber and of the last. */
  readonly subscription?: true;
  /** The result carries `ttlMs` and `cacheScope` in the modern era (2026-07-28, "Caching"). */
  readonly cacheable?: true;
}

const BOTH: readonly Era[] = ['legacy', 'modern'];
const LEGACY: readonly Era[] = ['legacy'];
const MODERN: readonly Era[] = ['modern'];

export const METHODS: Readonly<Record<string, Method>> = {
  __proto__: null as never,
  initialize: { eras: LEGACY, rule: 'answered' },
  'server/discover': { eras: MODERN, rule: 'answered', cacheable: true },
  ping: { eras: LEGACY, rule: 'answered' },
  'logging/setLevel': { eras: LEGACY, rule: 'answered', capability: 'logging' },
  'subscriptions/listen': { eras: MODERN, rule: 'answered' },
  'tools/list': {
    eras: BOTH,
    rule: 'merged',
    capability: 'tools',
    list: { kind: 'tool', member: 'tools' },
    cacheable: true,
  },
  'prompts/list': {
    eras: BOTH,
    rule: 'merged',
    capability: 'prompts',
    list: { kind: 'prompt', member: 'prompts' },
    cacheable: true,
  },
  'resources/list': {
    eras: BOTH,
    rule: 'merged',
    capability: 'resources',
    list: { kind: 'resource', member: 'resources' },
    cacheable: true,
  },
  'resources/templates/list': {
    eras: BOTH,
    rule: 'merged',
    capability: 'resources',
    list: { kind: 'template', member: 'resourceTemplates' },
    cacheable: true,
  },
  'tools/call': { eras: BOTH, rule: 'forwarded', capability: 'tools', target: 'name' },
  'prompts/get': { eras: BOTH, rule: 'forwarded', capability: 'prompts', target: 'name' },
  'resources/read': {
    eras: BOTH,
    rule: 'forwarded',
    capability: 'resources',
    target: 'uri',
    cacheable: true,
  },
  'resources/subscribe': {
    eras: LEGACY,
    rule: 'forwarded',
    capability: 'resources',
    target: 'uri',
    subscription: true,
  },
  'resources/unsubscribe': {
    eras: LEGACY,
    rule: 'forwarded',
    capability: 'resources',
    target: 'uri',
    subscription: true,
  },
  'completion/complete': { eras: BOTH, rule: 'forwarded', capability: 'completions', target: 'ref' },
};

/** Requests of the protocol that clients do not get here, each with what they are told. */
export const REFUSED: Readonly<Record<string, string>> = {
  __proto__: null as never,
  'tasks/get': 'this gateway offers no tasks',
  'tasks/result': 'this gateway offers no tasks',
  'tasks/list': 'this gateway offers no tasks',
  'tasks/update': 'this gateway offers no tasks',
  'tasks/cancel': 'this gateway offers no tasks',
};

/** What becomes of a message that is no request of a client. */
export interface Passage {
  readonly eras: readonly Era[];
  /**
   * `answered`: by the gateway. `forwarded`: as it is, to the one caller it is for. `translated`: in the terms of the
   * other hop. `merged`: changes what the gateway tells all. `refused`: answered with -32601. `dropped`: goes nowhere.
   */
  readonly rule: 'answered' | 'forwarded' | 'translated' | 'merged' | 'refused' | 'dropped';
  /** What that means here, or why it goes no further. */
  readonly because: string;
}

const NO_TASKS = 'the gateway declares no tasks to either side';

export const CLIENT_NOTIFICATIONS: Readonly<Record<string, Passage>> = {
  __proto__: null as never,
  'notifications/initialized': {
    eras: LEGACY,
    rule: 'dropped',
    because: 'the gateway has made its own handshake with each upstream',
  },
  'notifications/cancelled': {
    eras: BOTH,
    rule: 'translated',
    because: 'aborts the call; the upstream is told with the id on its hop (modern clients close the stream)',
  },
  'notifications/progress': {
    eras: LEGACY,
    rule: 'dropped',
    because: 'progress of an answer to a question: upstreams wait for the answer itself',
  },
  'notifications/roots/list_changed': {
    eras: LEGACY,
    rule: 'dropped',
    because: 'upstreams are not given the roots of a caller',
  },
  'notifications/tasks/status': { eras: LEGACY, rule: 'dropped', because: NO_TASKS },
};

/** In the modern era these are the members of `inputRequests` (2026-07-28, SEP-2322); `protocol/questions.ts` has those asked. */
export const SERVER_REQUESTS: Readonly<Record<string, Passage>> = {
  __proto__: null as never,
  ping: { eras: LEGACY, rule: 'answered', because: 'it asks for the peer, and that is the gateway' },
  'elicitation/create': {
    eras: BOTH,
    rule: 'translated',
    because: 'asked of the caller whose call caused it, in the way of its era; else refused',
  },
  'sampling/createMessage': {
    eras: BOTH,
    rule: 'translated',
    because: 'asked of the caller whose call caused it, in the way of its era; else refused',
  },
  'roots/list': {
    eras: BOTH,
    rule: 'refused',
    because: "one caller's roots would widen what the server allows to everybody on the same process",
  },
  'tasks/get': { eras: LEGACY, rule: 'refused', because: NO_TASKS },
  'tasks/result': { eras: LEGACY, rule: 'refused', because: NO_TASKS },
  'tasks/list': { eras: LEGACY, rule: 'refused', because: NO_TASKS },
  'tasks/cancel': { eras: LEGACY, rule: 'refused', because: NO_TASKS },
};

const READ_AGAIN = 'the lists are read again, and clients hear of it when something they can see has changed';

export const SERVER_NOTIFICATIONS: Readonly<Record<string, Passage>> = {
  __proto__: null as never,
  'notifications/tools/list_changed': { eras: BOTH, rule: 'merged', because: READ_AGAIN },
  'notifications/prompts/list_changed': { eras: BOTH, rule: 'merged', because: READ_AGAIN },
  'notifications/resources/list_changed': { eras: BOTH, rule: 'merged', because: READ_AGAIN },
  'notifications/subscriptions/acknowledged': {
    eras: MODERN,
    rule: 'merged',
    because: 'until it comes changes are not announced, so the lists are read once more',
  },
  'notifications/progress': {
    eras: BOTH,
    rule: 'translated',
    because: 'goes to the caller whose request it is about, with the token of that caller',
  },
  'notifications/message': {
    eras: BOTH,
    rule: 'forwarded',
    because:
      'to the caller on whose call it came, from the severity it asked for; dropped when it is nobody’s',
  },
  'notifications/resources/updated': {
    eras: BOTH,
    rule: 'translated',
    because: 'goes to those who subscribed, with the URI that they wrote',
  },
  'notifications/cancelled': {
    eras: BOTH,
    rule: 'translated',
    because: 'withdraws a question of the server; its client is told with the id on that hop',
  },
  'notifications/elicitation/complete': {
    eras: LEGACY,
    rule: 'dropped',
    because: 'a client learns from the answer of its call that the step in the browser is done',
  },
  'notifications/tasks/status': { eras: LEGACY, rule: 'dropped', because: NO_TASKS },
  'notifications/tasks': { eras: MODERN, rule: 'dropped', because: NO_TASKS },
};
