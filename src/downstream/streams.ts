/** Open event streams towards clients, for what belongs to no request: changed lists, keep-alives. */
import type { ServerResponse } from 'node:http';
import { GatewayError } from '../errors.ts';
import type { ListKind } from '../gateway/gateway.ts';
import type { JsonObject } from '../model.ts';
import { encodeEvent, KEEP_ALIVE } from '../protocol/sse.ts';

const KEEP_ALIVE_EVERY = 15_000;
/** A reader this far behind is cut off: it would otherwise make memory grow. */
const MAX_BEHIND = 1024 * 1024;

export interface StreamSpec {
  readonly response: ServerResponse;
  readonly kinds: ReadonlySet<ListKind>;
  /** `_meta` of every message on a modern subscription. */
  readonly meta?: JsonObject;
}

export interface Streams {
  /** @throws GatewayError `overloaded` when `max` are open: asked before anything is done for a stream. */
  admit(): void;
  /** Takes the response as a stream. @returns the function that ends it. */
  open(spec: StreamSpec): () => void;
  announce(kinds: ReadonlySet<ListKind>): void;
  count(): number;
  close(): void;
}

export const EVENT_STREAM = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export function createStreams(max: number): Streams {
  const open = new Set<StreamSpec>();
  const timer = setInterval(() => {
    for (const { response } of open) write(response, KEEP_ALIVE);
  }, KEEP_ALIVE_EVERY);
  timer.unref();

  function write(response: ServerResponse, text: string): void {
    if (response.writableLength > MAX_BEHIND) response.destroy();
    else response.write(text);
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
      spec.response.once('close', () => open.delete(spec));
      return () => {
        open.delete(spec);
        spec.response.end();
      };
    },
    announce(kinds) {
      for (const { response, kinds: wanted, meta } of open) {
        for (const kind of kinds) {
          if (wanted.has(kind))
            write(
              response,
              encodeEvent(
                JSON.stringify({
                  jsonrpc: '2.0',
                  method: `notifications/${kind}/list_changed`,
                  ...(meta ? { params: { _meta: meta } } : {}),
                }),
              ),
            );
        }
      }
    },
    count: () => open.size,
    close() {
      clearInterval(timer);
      for (const { response } of open) response.end();
    },
  };
}
