/**
 * The workers that evaluate a policy off the main thread, and the queue before them.
 *
 *   submit → queue (fair per key, limited wait: overloaded) → a free worker (deadline: failed, worker replaced) → done
 */
import type { Decision } from '../../model.ts';
import { failed, overloaded } from './decision.ts';
import { FairQueue } from './fair-queue.ts';
import { Job } from './job.ts';
import { PolicyWorker, type WorkerEvents } from './policy-worker.ts';
import { clock } from './progress.ts';

const RESTART_DELAY = 1_000;
/** Jobs one key may have waiting: a bound on memory that a single caller cannot use up for all. */
const MAX_WAITING = 1_024;

export interface PoolOptions {
  readonly module: WebAssembly.Module;
  /** The data document as JSON text. */
  readonly data: string;
  /** Milliseconds one evaluation may take, from its start. */
  readonly deadline: number;
  /** Milliseconds a job may wait for a free worker. */
  readonly queue: number;
  /** Workers; at least two, so that one slow call never stops all. */
  readonly size: number;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #waiting = new FairQueue<Job>();
  readonly #workers = new Set<PolicyWorker>();
  readonly #idle: PolicyWorker[] = [];
  readonly #events: WorkerEvents;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(options: PoolOptions) {
    this.#options = options;
    this.#events = {
      reply: (worker, decisions) => this.#reply(worker, decisions),
      end: (worker, reason) => this.#end(worker, reason),
    };
  }

  /** Resolves when every worker is warm. Throws when the module cannot be instantiated. */
  static async start(options: PoolOptions): Promise<Pool> {
    const pool = new Pool(options);
    try {
      await Promise.all(Array.from({ length: Math.max(2, options.size) }, () => pool.#spawn()));
    } catch (error) {
      await pool.close();
      throw error;
    }
    await pool.#warm();
    return pool;
  }

  /** Decides the inputs (JSON text); `done` gets as many decisions in the same order. Never throws. */
  submit(inputs: readonly string[], queue: string, done: (decisions: readonly Decision[]) => void): void {
    const job = new Job(inputs, queue, clock(), done);
    if (this.#closed) return job.finishAll(failed('policy error: the policy is closed'));
    if (this.#waiting.waiting(queue) >= MAX_WAITING)
      return job.finishAll(overloaded('too many calls wait for a policy decision'));
    this.#enqueue(job);
  }

  /** Ends every worker; what is still open is answered as failed. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    const open = [...this.#workers].flatMap(({ job }) => job ?? []);
    for (const job of [...open, ...this.#waiting.takeWhile(() => true)])
      job.finishAll(failed('policy error: the policy is closed'));
    await Promise.all(Array.from(this.#workers, (worker) => worker.terminate()));
    this.#workers.clear();
  }

  /** The first evaluations compile the module's functions; callers shall not wait for that. */
  async #warm(): Promise<void> {
    const rounds = Array.from({ length: 2 * this.#workers.size }, (_, round) => `warm-up ${round}`);
    await Promise.all(
      rounds.map((key) => new Promise<unknown>((resolve) => this.submit(['{}'], key, resolve))),
    );
  }

  async #spawn(): Promise<void> {
    const worker = new PolicyWorker(this.#options, this.#events);
    this.#workers.add(worker);
    await worker.ready;
    if (this.#closed) return worker.terminate();
    this.#idle.push(worker);
    this.#dispatch();
  }

  #enqueue(job: Job): void {
    this.#waiting.push(job.queue, job);
    this.#dispatch();
    // One timer for all calls; it ends itself when there is nothing left to watch.
    const tick = Math.min(25, Math.max(5, this.#options.deadline / 4));
    this.#watch ??= setInterval(() => this.#sweep(), tick).unref();
  }

  #dispatch(): void {
    while (this.#idle.length > 0 && this.#waiting.size > 0) {
      const [worker, job] = [this.#idle.pop(), this.#waiting.shift()];
      if (worker !== undefined && job !== undefined) worker.send(job, clock());
    }
  }

  #reply(worker: PolicyWorker, decisions: readonly Decision[]): void {
    const { job } = worker;
    worker.job = undefined;
    this.#idle.push(worker);
    this.#dispatch();
    job?.finish(decisions);
  }

  #sweep(): void {
    const now = clock();
    const expired = this.#waiting.takeWhile((job) => Number(now - job.since) / 1e6 > this.#options.queue);
    for (const job of expired) job.finishAll(overloaded('no policy worker was free in time'));
    for (const worker of this.#workers) this.#check(worker, now);
    if (this.#waiting.size > 0 || [...this.#workers].some(({ job }) => job !== undefined)) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #check(worker: PolicyWorker, now: bigint): void {
    const culprit = worker.overrun(now, this.#options.deadline);
    const { job } = worker;
    if (culprit === undefined || job === undefined) return;
    const late = failed(`policy error: the policy took longer than ${this.#options.deadline} ms`);
    this.#replace(worker);
    if (culprit === 'all') return job.finishAll(late);
    if (!job.dropCulprit(culprit, late)) return;
    job.since = now;
    this.#enqueue(job);
  }

  /** A module in the middle of an evaluation cannot be stopped, only its thread can. */
  #replace(worker: PolicyWorker): void {
    worker.job = undefined;
    this.#workers.delete(worker);
    void worker.terminate();
    this.#restart();
  }

  /** A thread that died by itself: out of memory, or a fault of ours. */
  #end(worker: PolicyWorker, reason: Error): void {
    this.#workers.delete(worker);
    const place = this.#idle.indexOf(worker);
    if (place >= 0) this.#idle.splice(place, 1);
    worker.job?.finishAll(failed(`policy error: ${reason.message}`));
    setTimeout(() => this.#restart(), RESTART_DELAY).unref();
  }

  #restart(): void {
    // A failure ends the thread, and `#end` tries again.
    if (!this.#closed) this.#spawn().catch(() => undefined);
  }
}
