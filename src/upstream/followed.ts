/** The resources of one server that somebody wants to hear of: told to it in the way of its era, and again to each new connection. */
import { GatewayError } from '../errors.ts';
import type { JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import type { Slices } from '../protocol/slices.ts';
import type { Connection } from './connection.ts';
import type { UpstreamRequest } from './hop.ts';

/** How long a modern server may take to acknowledge, in ms. */
const ACKNOWLEDGED_WITHIN = 10_000;

export interface Followed {
  /**
   * @returns the answer of a legacy server, which may be an error; nothing from a modern one, which acknowledges.
   * @throws GatewayError as `Upstream.request`, or `upstream_error` when there is no acknowledgement.
   */
  subscribe(uri: string): Promise<Slices | undefined>;
  unsubscribe(uri: string): void;
}

export interface FollowedOptions {
  readonly request: (request: UpstreamRequest) => Promise<Slices>;
  /** @throws GatewayError `upstream_unavailable`. */
  readonly connection: () => Connection | Promise<Connection>;
  readonly timeout: number;
  readonly updated: (uri: string) => void;
}

export interface FollowedResources extends Followed {
  /** Subscribes on a connection that has taken the place of another. What happened between counts as an update. */
  restore(connection: Connection): void;
  /** Updates may have been lost on their way: each resource counts as updated. */
  missed(): void;
  /** @returns whether the message was an update. */
  receive(message: JsonObject): boolean;
}

export function createFollowed({
  request,
  connection,
  timeout,
  updated,
}: FollowedOptions): FollowedResources {
  const uris = new Set<string>();
  const waiting = new Map<string, () => void>();
  const ask = (method: string, uri: string): UpstreamRequest => ({ method, params: { uri }, timeout });

  function acknowledgement(uri: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        waiting.delete(uri);
        reject(
          new GatewayError('upstream_error', `The server did not acknowledge a subscription to ${uri}.`),
        );
      }, ACKNOWLEDGED_WITHIN);
      waiting.set(uri, () => {
        clearTimeout(late);
        waiting.delete(uri);
        resolve();
      });
    });
  }

  /** Those of one turn together: each change opens another stream. */
  let due = false;
  function follow(current: Connection): void {
    if (due) return;
    due = true;
    setImmediate(() => {
      due = false;
      current.follow([...uris]);
    });
  }

  /** One at a time: a subscription must not overtake the end of the one before. */
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = turn.then(run);
    turn = result.catch(() => undefined);
    return result;
  }

  async function subscribe(uri: string): Promise<Slices | undefined> {
    const current = await connection();
    uris.add(uri);
    try {
      if (current.server.era === 'legacy') {
        const answer = await inTurn(() => request(ask('resources/subscribe', uri)));
        if (!answer.top.has('result')) uris.delete(uri);
        return answer;
      }
      const acknowledged = acknowledgement(uri);
      follow(current);
      await acknowledged;
      return undefined;
    } catch (error) {
      uris.delete(uri);
      throw error;
    }
  }

  async function unsubscribe(uri: string): Promise<void> {
    if (!uris.delete(uri)) return;
    const current = await connection();
    if (current.server.era === 'modern') follow(current);
    else await inTurn(() => request(ask('resources/unsubscribe', uri)));
  }

  function missed(): void {
    for (const uri of uris) updated(uri);
  }

  return {
    subscribe,
    // A server that cannot be told sends updates that go nowhere.
    unsubscribe: (uri) => void unsubscribe(uri).catch(() => undefined),
    restore(current) {
      if (uris.size === 0) return;
      if (current.server.era === 'modern') follow(current);
      else
        for (const uri of uris) void current.request(ask('resources/subscribe', uri)).catch(() => undefined);
      missed();
    },
    missed,
    receive({ method, params }) {
      const { uri, notifications } = isObject(params) ? params : {};
      if (method === 'notifications/subscriptions/acknowledged' && isObject(notifications)) {
        const { resourceSubscriptions } = notifications;
        if (Array.isArray(resourceSubscriptions))
          for (const known of resourceSubscriptions) if (typeof known === 'string') waiting.get(known)?.();
      }
      if (method !== 'notifications/resources/updated') return false;
      if (typeof uri === 'string') updated(uri);
      return true;
    },
  };
}
