/** The known name a mistyped one was probably meant to be. */

/** Insertions, deletions, replacements and swaps of neighbors that turn `a` into `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const steps = [last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) steps.push(before[j - 2]! + 1);
      row.push(Math.min(...steps));
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}

/** The nearest of `known` within a third of its length; undefined when none is that near. Case does not count. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 64) return undefined;
  const ranked = known
    .map((candidate) => ({ candidate, steps: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, steps }) => steps <= Math.max(1, candidate.length / 3))
    .sort((a, b) => a.steps - b.steps);
  return ranked[0]?.candidate;
}
