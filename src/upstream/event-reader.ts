/** Server-sent events, incoming: bytes in whatever pieces, messages out (WHATWG HTML, "Server-sent events"). */
import { createParser } from 'eventsource-parser';
import type { JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import { parseLossless } from '../protocol/json.ts';

/**
 * Feeds bytes to a parser of events; `onData` gets the data of each, and its name (`message` when it has none).
 * @throws when one event is longer than `max` characters; no more can be fed then.
 */
export function eventReader(
  max: number,
  onData: (text: string, event: string) => void,
): (chunk: Buffer) => void {
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: max,
    onEvent: ({ data, event = 'message' }) => {
      if (data !== '') onData(data, event);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded')
        throw new Error(`an event is larger than limits.result (${max} bytes)`);
    },
  });
  return (chunk) => parser.feed(decoder.decode(chunk, { stream: true }));
}

/** A message that is read here, not passed on; undefined when it is no JSON object. */
export function readMessage(text: string): JsonObject | undefined {
  try {
    const message = parseLossless(text);
    return isObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
