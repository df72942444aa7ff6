/** Open event streams towards clients, for what belongs to no request: changed lists, keep-alives. */
import type { ServerResponse } from 'node:http';
import { GatewayError } from '../errors.ts';
import type { ListKind } from '../gateway/gateway.ts';
import type { JsonObject } from '../model.ts';
import { encodeEvent, KEEP_ALIVE } from '../protocol/sse.ts';

/** One clock looks after all streams and answers; each gets a sign of life at every third beat that it has seen, so after 10 to 15 s. */
const BEAT = 5_000;
const BEATS = 3;
/** A reader this far behind is cut off: it would otherwise make memory grow. */
export const MAX_BEHIND = 1024 * 1024;

/** What a client of the legacy era is told of: it has no choice. */
export const ALL_LISTS: ReadonlySet<ListKind> = new Set(['tools', 'prompts', 'resources']);

export interface StreamSpec {
  readonly response: ServerResponse;
  readonly kinds: ReadonlySet<ListKind>;
  /** `_meta` of every message on a modern subscription. */
  readonly meta?: JsonObject;
  /** Whose subscriptions to resources this stream serves. */
  readonly subscriber?: string;
}

export interface Streams {
  /** @throws GatewayError `overloaded` when `max` are open: asked before anything is done for a stream. */
  admit(): void;
  /** Takes the response as a stream. @returns the function that ends it. */
  open(spec: StreamSpec): () => void;
  announce(kinds: ReadonlySet<ListKind>): void;
  /** Tells one subscriber that a resource has changed; without a stream of its own it does not hear of it. */
  update(subscriber: string, uri: string): void;
  /** Calls `pulse` every 15 s, until the returned function is called: for an answer that takes long. */
  attend(pulse: () => void): () => void;
  count(): number;
  close(): void;
}

export const EVENT_STREAM = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** What a client is told; `meta` is that of its subscription, where the era has one. */
export const listChanged = (kind: ListKind, meta?: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  method: `notifications/${kind}/list_changed`,
  ...(meta ? { params: { _meta: meta } } : {}),
});

export const resourceUpdated = (uri: string, meta?: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri, ...(meta ? { _meta: meta } : {}) },
});

export function createStreams(max: number): Streams {
  const open = new Set<StreamSpec>();
  const bySubscriber = new Map<string, StreamSpec>();
  /** Beats that each has seen. */
  const pulses = new Map<() => void, number>();
  const timer = setInterval(beat, BEAT);
  timer.unref();

  function beat(): void {
    for (const [pulse, seen] of pulses) {
      pulses.set(pulse, seen + 1);
      if ((seen + 1) % BEATS === 0) pulse();
    }
  }

  function attend(pulse: () => void): () => void {
    pulses.set(pulse, 0);
    return () => void pulses.delete(pulse);
  }

  function write(response: ServerResponse, text: string): void {
    if (response.writableLength > MAX_BEHIND) response.destroy();
    else response.write(text);
  }

  function drop(spec: StreamSpec): void {
    open.delete(spec);
    const { subscriber = '' } = spec;
    if (bySubscriber.get(subscriber) === spec) bySubscriber.delete(subscriber);
  }

  return {
    admit() {
      if (open.size >= max)
        throw new GatewayError('overloaded', 'Too many streams are open; try again later.', {
          retryAfter: 10,
        });
    },
    open(spec) {
      open.add(spec);
      const leave = attend(() => write(spec.response, KEEP_ALIVE));
      if (spec.subscriber !== undefined) bySubscriber.set(spec.subscriber, spec);
      spec.response.once('close', () => {
        leave();
        drop(spec);
      });
      return () => {
        drop(spec);
        spec.response.end();
      };
    },
    announce(kinds) {
      for (const { response, kinds: wanted, meta } of open) {
        for (const kind of kinds) {
          if (wanted.has(kind)) write(response, encodeEvent(JSON.stringify(listChanged(kind, meta))));
        }
      }
    },
    update(subscriber, uri) {
      const spec = bySubscriber.get(subscriber);
      if (!spec) return;
      write(spec.response, encodeEvent(JSON.stringify(resourceUpdated(uri, spec.meta))));
    },
    attend,
    count: () => open.size,
    close() {
      clearInterval(timer);
      for (const { response } of open) response.end();
    },
  };
}
