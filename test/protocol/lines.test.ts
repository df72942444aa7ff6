import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineReader } from '../../src/protocol/lines.ts';

const MAX = 300;

interface Read {
  lines: string[];
  overlong: string[];
  ends: string[];
}

function readIn(chunks: readonly Buffer[], max = MAX): Read {
  const read: Read = { lines: [], overlong: [], ends: [] };
  const feed = lineReader(max, {
    line: (bytes) => read.lines.push(bytes.toString('latin1')),
    overlong: (head) => read.overlong.push(head.toString('latin1')),
    overlongEnd: (tail) => read.ends.push(tail.toString('latin1')),
  });
  for (const chunk of chunks) feed(chunk);
  return read;
}

/** Cuts the bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

const line = fc.oneof(
  fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\n', '')),
  fc.integer({ min: MAX - 2, max: MAX + 700 }).map((length) => 'abcdefg'.repeat(200).slice(0, length)),
);

describe('the lines', () => {
  it('are the same in whatever pieces the bytes come', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (lines, places) => {
          const texts = lines.map((text) => Buffer.from(text).toString('latin1'));
          const read = readIn(cut(Buffer.from(lines.map((text) => `${text}\n`).join('')), places));
          const long = texts.filter((text) => text.length > MAX);
          expect(read.lines).toEqual(texts.filter((text) => text.length > 0 && text.length <= MAX));
          // The head may be as short as the pieces were when the bound was passed, but it is the head.
          expect(read.overlong.length).toBe(long.length);
          read.overlong.forEach((head, i) => expect(head).toBe(long[i]!.slice(0, 256)));
          expect(read.ends).toEqual(long.map((text) => text.slice(-256)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('without an end are not given', () => {
    expect(readIn([Buffer.from('{"id":1}')]).lines).toEqual([]);
  });

  it('go on after one that was too long', () => {
    const read = readIn([Buffer.from('x'.repeat(MAX + 1)), Buffer.from('yz\nnext\n')]);
    expect(read).toMatchObject({ lines: ['next'], overlong: ['x'.repeat(256)] });
    expect(read.ends[0]!.endsWith('xyz')).toBe(true);
  });
});

it('reports a line that never ends once, as soon as it is too long', () => {
  let reports = 0;
  const feed = lineReader(MAX, { line: () => expect.unreachable(), overlong: () => reports++ });
  const piece = Buffer.alloc(64 * 1024, 'x');
  for (let i = 0; i < 500; i++) {
    feed(piece);
    expect(reports).toBe(1);
  }
});

it('joins a line of 5 MiB in pieces of 64 KiB in time linear in its length', () => {
  const piece = Buffer.alloc(64 * 1024, 'x');
  const time = (pieces: number): number => {
    let got = 0;
    const feed = lineReader(64 * 1024 * 1024, {
      line: ({ length }) => (got = length),
      overlong: () => undefined,
    });
    const started = performance.now();
    for (let i = 0; i < pieces; i++) feed(piece);
    feed(Buffer.from('\n'));
    expect(got).toBe(pieces * piece.length);
    return performance.now() - started;
  };
  time(80); // warm
  expect(time(80)).toBeLessThan(250);
  expect(time(640)).toBeLessThan(2_000);
});
