/**
 * Two numbers that a worker shares with the main thread: when its current evaluation started, and which of the batch it
 * is. The deadline is counted from there, so that neither a queue nor a busy main thread eats into it.
 */
const STARTED = 0;
const INDEX = 1;

/** Monotonic, the same in every thread of the process. Nanoseconds. */
export const clock = process.hrtime.bigint;

export class Progress {
  readonly shared: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(shared = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#cells = new BigInt64Array(shared);
  }

  /** The worker begins to evaluate the batch's `index`-th input. */
  begin(index: number): void {
    Atomics.store(this.#cells, INDEX, BigInt(index));
    Atomics.store(this.#cells, STARTED, clock());
  }

  end(): void {
    Atomics.store(this.#cells, STARTED, 0n);
  }

  /** Milliseconds the current evaluation has taken; undefined when none is running. */
  running(now: bigint): number | undefined {
    const started = Atomics.load(this.#cells, STARTED);
    return started === 0n ? undefined : Number(now - started) / 1e6;
  }

  get index(): number {
    return Number(Atomics.load(this.#cells, INDEX));
  }
}
