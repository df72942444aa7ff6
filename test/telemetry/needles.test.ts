import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileNeedles } from '../../src/telemetry/needles.ts';

/** The obvious way: at each place, the longest needle that starts there. */
function findSlowly(needles: readonly string[], text: string, from: number) {
  const longestFirst = needles.toSorted((a, b) => b.length - a.length);
  for (let start = from; start < text.length; start++) {
    const needle = longestFirst.find((candidate) => text.startsWith(candidate, start));
    if (needle !== undefined) return { start, end: start + needle.length };
  }
  return undefined;
}

it('finds what the obvious search finds', () => {
  const few = fc.constantFrom('a', 'b', 'c', 'é', '\u{1f511}');
  const needle = fc.string({ unit: few, minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(needle, { maxLength: 5 }),
      fc.string({ unit: few, maxLength: 60 }),
      fc.nat(10),
      (needles, text, from) => {
        expect(compileNeedles(needles).find(text, from)).toEqual(findSlowly(needles, text, from));
      },
    ),
    { numRuns: 2_000 },
  );
});

it('finds nothing when there is nothing to look for', () => {
  expect(compileNeedles([]).find('any text', 0)).toBeUndefined();
});
