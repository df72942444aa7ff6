/** A clock that never goes back, whatever the clock behind it does. */

/** Adds up the steps forward of `clock` (milliseconds); a step back counts as standing still, once. */
export function steadyClock(clock: () => number): () => number {
  let last = clock();
  let elapsed = 0;
  return () => {
    const now = clock();
    if (now > last) elapsed += now - last;
    last = now;
    return elapsed;
  };
}
