/**
 * Who wants to hear of which resource. Each (upstream, URI) is subscribed once, by the first who asks, until the last has
 * gone; an update reaches those who subscribed, under the URI that they wrote.
 *
 *   subscriber ──exposed URI──► (upstream, URI) ──► upstream        updated ──► subscribers
 */
import type { Entry } from '../catalog/catalog.ts';
import { GatewayError } from '../errors.ts';
import { isObject } from '../protocol/envelope.ts';
import type { Slices } from '../protocol/slices.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** Of one subscriber: a session, or a stream of a modern client. */
const MAX_EACH = 1_000;

/** One resource of one upstream. */
interface Topic {
  readonly upstream: Upstream;
  readonly uri: string;
  /** Subscriber → the URI as that one wrote it. */
  readonly subscribers: Map<string, string>;
  /** The answer of the upstream, for all who came while it was waited for. */
  readonly told: Promise<Slices | undefined>;
}

export interface Subscriptions {
  /**
   * @returns the answer of the upstream where it gave one, which may be an error: then there is no subscription.
   * @throws GatewayError `method_not_found` when the server offers none, `overloaded`, or what the upstream throws.
   */
  add(subscriber: string, entry: Entry, exposed: string): Promise<Slices | undefined>;
  remove(subscriber: string, entry: Entry): void;
  /** The subscriber has gone. */
  end(subscriber: string): void;
  /** An upstream says that one of its resources has changed. */
  updated(upstream: string, uri: string): void;
}

/** `tell` brings an update to one subscriber. */
export function createSubscriptions(
  upstreams: ReadonlyMap<string, Upstream>,
  tell: (subscriber: string, exposed: string) => void,
): Subscriptions {
  const topics = new Map<string, Topic>();
  const bySubscriber = new Map<string, Set<Topic>>();
  const keyOf = (upstream: string, uri: string): string => `${upstream} ${uri}`;

  function topicOf({ target }: Entry): Topic {
    const key = keyOf(target.upstream, target.name);
    const known = topics.get(key);
    if (known) return known;
    const upstream = upstreams.get(target.upstream)!;
    const told = upstream.resources.subscribe(target.name);
    const topic: Topic = { upstream, uri: target.name, subscribers: new Map(), told };
    topics.set(key, topic);
    return topic;
  }

  function leave(subscriber: string, topic: Topic): void {
    if (!topic.subscribers.delete(subscriber)) return;
    const own = bySubscriber.get(subscriber);
    own?.delete(topic);
    if (own?.size === 0) bySubscriber.delete(subscriber);
    if (topic.subscribers.size > 0) return;
    topics.delete(keyOf(topic.upstream.config.id, topic.uri));
    topic.upstream.resources.unsubscribe(topic.uri);
  }

  async function add(subscriber: string, entry: Entry, exposed: string): Promise<Slices | undefined> {
    if (!offersSubscriptions(upstreams.get(entry.target.upstream)))
      throw new GatewayError(
        'method_not_found',
        `The server "${entry.target.upstream}" does not tell when a resource changes.`,
      );
    const own = bySubscriber.get(subscriber) ?? new Set();
    if (own.size >= MAX_EACH)
      throw new GatewayError('overloaded', `At most ${MAX_EACH} resources can be subscribed to at a time.`);
    const topic = topicOf(entry);
    topic.subscribers.set(subscriber, exposed);
    bySubscriber.set(subscriber, own.add(topic));
    try {
      const answer = await topic.told;
      if (answer?.top.has('result') === false) leave(subscriber, topic);
      return answer;
    } catch (error) {
      leave(subscriber, topic);
      throw error;
    }
  }

  return {
    add,
    remove(subscriber, { target }) {
      const topic = topics.get(keyOf(target.upstream, target.name));
      if (topic) leave(subscriber, topic);
    },
    end(subscriber) {
      for (const topic of bySubscriber.get(subscriber) ?? []) leave(subscriber, topic);
    },
    updated(upstream, uri) {
      const subscribers = topics.get(keyOf(upstream, uri))?.subscribers ?? [];
      for (const [subscriber, exposed] of subscribers) tell(subscriber, exposed);
    },
  };
}

export function offersSubscriptions(upstream: Upstream | undefined): boolean {
  const resources = upstream?.status().server?.capabilities['resources'];
  return isObject(resources) && resources['subscribe'] === true;
}
