/** One call's or one list's way through the pool: which inputs are still open, and what was decided so far. */
import type { Decision } from '../../model.ts';
import { failed } from './decision.ts';

/** A list in which more inputs than this overrun is given up: each costs a worker. */
const MAX_CULPRITS = 3;

export class Job {
  /** The key of fairness. */
  readonly queue: string;
  /** When it (last) began to wait. */
  since: bigint;
  readonly #decided: Decision[];
  readonly #done: (decisions: readonly Decision[]) => void;
  /** What is open: its place in the answer, and the input. */
  #open: readonly (readonly [number, string])[];
  #culprits = 0;

  constructor(
    inputs: readonly string[],
    queue: string,
    since: bigint,
    done: (decisions: readonly Decision[]) => void,
  ) {
    this.queue = queue;
    this.since = since;
    this.#done = done;
    this.#decided = [];
    this.#open = [...inputs.entries()];
  }

  /** The inputs still to be decided. */
  get inputs(): readonly string[] {
    return this.#open.map(([, input]) => input);
  }

  /** Milliseconds all of it may take: each input has the deadline, ten ordinary ones share it. */
  limit(deadline: number): number {
    return deadline * (2 + this.#open.length / 10);
  }

  /** Answers what is open and ends the job. */
  finish(decisions: readonly Decision[]): void {
    for (const [index, [place]] of this.#open.entries()) {
      this.#decided[place] = decisions[index] ?? failed('policy error: no decision came back');
    }
    this.#open = [];
    this.#done(this.#decided);
  }

  finishAll(decision: Decision): void {
    this.finish(this.#open.map(() => decision));
  }

  /** Fails the open input that overran; true when others are left that deserve another try. */
  dropCulprit(index: number, decision: Decision): boolean {
    const place = this.#open[index]?.[0];
    if (place !== undefined) this.#decided[place] = decision;
    this.#open = this.#open.filter((_, each) => each !== index);
    this.#culprits++;
    if (this.#open.length > 0 && this.#culprits <= MAX_CULPRITS) return true;
    this.finishAll(decision);
    return false;
  }
}
