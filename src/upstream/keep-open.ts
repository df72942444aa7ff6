/** Keeps a stream of the server open: opened again when it ends, at growing intervals while it never lasts. */
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST = 1_000;
const LAST = 60_000;
/** Open for this long, and the next end counts as the first. */
const STABLE = 30_000;

/** `stream` resolves when it has ended, with whether it is worth opening again. Returns at the abort or when it is not. */
export async function keepOpen(stream: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  let wait = FIRST;
  while (!signal.aborted) {
    const opened = performance.now();
    if (!(await stream())) return;
    if (performance.now() - opened > STABLE) wait = FIRST;
    await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
    wait = Math.min(wait * 2, LAST);
  }
}
