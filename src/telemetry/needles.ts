/**
 * Finds any of many fixed strings in a text, in time that hardly depends on how many there are (Wu and Manber's search:
 * a table over pairs of characters says how far the window may move when it cannot be the end of a match).
 */

const TABLE = 4096;
const slot = (first: number, second: number): number => ((first << 5) ^ second) & (TABLE - 1);

export interface Match {
  readonly start: number;
  readonly end: number;
}

export interface Needles {
  /** The first match at or after `from`; of several that start there, the longest. */
  find(text: string, from: number): Match | undefined;
}

/** `strings` must each have two characters or more. */
export function compileNeedles(strings: Iterable<string>): Needles {
  const longestFirst = [...strings].toSorted((a, b) => b.length - a.length);
  const window = longestFirst.at(-1)?.length ?? 0;
  const shifts = new Uint16Array(TABLE).fill(Math.min(window - 1, 0xffff));
  const candidates = new Map<number, string[]>();
  for (const needle of longestFirst) enter(needle, window, shifts, candidates);

  function find(text: string, from: number): Match | undefined {
    for (let last = from + window - 1; last < text.length;) {
      const at = slot(text.charCodeAt(last - 1), text.charCodeAt(last));
      const shift = shifts[at]!;
      if (shift > 0) {
        last += shift;
        continue;
      }
      const start = last - window + 1;
      const needle = candidates.get(at)?.find((candidate) => text.startsWith(candidate, start));
      if (needle !== undefined) return { start, end: start + needle.length };
      last++;
    }
    return undefined;
  }
  return { find: window < 2 ? () => undefined : find };
}

/** Only the first `window` characters of a needle steer the search; the rest is compared. */
function enter(needle: string, window: number, shifts: Uint16Array, candidates: Map<number, string[]>): void {
  for (let i = 1; i < window; i++) {
    const at = slot(needle.charCodeAt(i - 1), needle.charCodeAt(i));
    shifts[at] = Math.min(shifts[at]!, window - 1 - i);
    if (i === window - 1) candidates.set(at, [...(candidates.get(at) ?? []), needle]);
  }
}
