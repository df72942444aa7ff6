import { createParser, type EventSourceMessage } from 'eventsource-parser';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeEvent, KEEP_ALIVE } from '../../src/protocol/sse.ts';

function parse(stream: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(stream);
  return events;
}

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\r', '\n', '\r\n', 'data: ', 'event: x', 'id: 9', ':', ' ', '\u2028', '\0', '{"a":1}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  ),
});

it('makes one event of any text, and no other', () => {
  fc.assert(
    fc.property(
      text,
      fc.option(fc.stringMatching(/^[a-z0-9-]{1,20}$/), { nil: undefined }),
      (message, id) => {
        const events = parse(`${encodeEvent(message, id)}${KEEP_ALIVE}${encodeEvent('next')}`);
        expect(events.length).toBe(2);
        expect(events[0]).toEqual({ event: 'message', data: message.replaceAll(/\r\n|\r/g, '\n'), id });
        expect(events[1]).toMatchObject({ data: 'next' });
      },
    ),
    { numRuns: 500 },
  );
});

it('lets no line end of an upstream write a field of its own', () => {
  const hostile = '{"a":\n\ndata: {"forged":true}\n\nid: 666\n1}';
  expect(parse(encodeEvent(hostile))).toEqual([{ event: 'message', data: hostile, id: undefined }]);
});

it('keeps a stream alive with what is no event', () => {
  expect(parse(KEEP_ALIVE)).toEqual([]);
});
