import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventReader, readMessage } from '../../src/upstream/event-reader.ts';

function read(chunks: readonly Buffer[], max = 1_000_000): string[] {
  const data: string[] = [];
  const feed = eventReader(max, (text) => data.push(text));
  for (const chunk of chunks) feed(chunk);
  return data;
}

describe('the data of events', () => {
  const stream = Buffer.from(
    [
      ': hello',
      'event: message',
      'data:{"a":"ü€🎈"}',
      '',
      'id: 1',
      'data:',
      '',
      'data: one',
      'data:  two',
      '',
      '',
    ].join('\r\n'),
  );
  const expected = ['{"a":"ü€🎈"}', 'one\n two'];

  it('is the same at whatever byte the stream is cut', () => {
    for (let at = 0; at <= stream.length; at++)
      expect(read([stream.subarray(0, at), stream.subarray(at)])).toEqual(expected);
  });

  it('is the same in whatever pieces the stream comes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (places) => {
        const at = [0, ...places.sort((a, b) => a - b), stream.length];
        expect(read(at.slice(1).map((end, i) => stream.subarray(at[i], end)))).toEqual(expected);
      }),
    );
  });

  it('is bounded, in one line and over many', () => {
    const pieces = (text: string, count: number): Buffer[] =>
      Array.from({ length: count }, () => Buffer.from(text));
    for (const hostile of [
      pieces('x'.repeat(1_000), 20),
      pieces('\ndata: x', 8_000),
      pieces('\n:\ndata: x', 8_000),
    ])
      expect(() => read([Buffer.from('data: '), ...hostile], 10_000)).toThrow(
        'an event is larger than limits.result (10000 bytes)',
      );
  });

  it('is not bounded over the life of a stream', () => {
    const idle = Array.from({ length: 1_000 }, () => Buffer.from(`: ${'keep-alive '.repeat(10)}\n\n`));
    expect(read([...idle, Buffer.from('data: x\n\n')], 1_000)).toEqual(['x']);
  });

  it('of 5 MiB in pieces of 64 KiB takes no time to speak of', () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const started = performance.now();
    const [data] = read(
      [Buffer.from('data: '), ...Array.from({ length: 80 }, () => piece), Buffer.from('\n\n')],
      1e8,
    );
    expect(data).toHaveLength(80 * piece.length);
    expect(performance.now() - started).toBeLessThan(500);
  });
});

it('reads a message, and nothing else', () => {
  expect(JSON.stringify(readMessage('{"n":1.0}'))).toBe('{"n":1.0}');
  for (const text of ['[1]', 'null', '5', 'x', '', '{']) expect(readMessage(text)).toBeUndefined();
  expect(readMessage(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toBeUndefined();
});
