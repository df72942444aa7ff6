/** The main thread's side of one worker: starts it, hands it one job at a time, knows when that takes too long. */
import { Worker } from 'node:worker_threads';
import type { Decision } from '../../model.ts';
import type { Job } from './job.ts';
import { Progress } from './progress.ts';
import type { WorkerReply, WorkerStart } from './worker.ts';

const FILE = new URL(`./worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

export interface WorkerEvents {
  readonly reply: (worker: PolicyWorker, decisions: readonly Decision[]) => void;
  /** The thread is gone and nobody asked it to go. */
  readonly end: (worker: PolicyWorker, reason: Error) => void;
}

/** Nothing of the gateway's environment but where compiled code is kept, if anywhere. */
const { NODE_COMPILE_CACHE: CACHE } = process.env;
const ENVIRONMENT = CACHE === undefined ? {} : { NODE_COMPILE_CACHE: CACHE };
/** MiB. An evaluation leaves a few kilobytes behind: a larger nursery would only be kept, once for each worker. */
const YOUNG = 4;

export class PolicyWorker {
  /** Resolves when the policy is instantiated; rejects when it cannot be. */
  readonly ready: Promise<void>;
  job: Job | undefined;
  readonly #worker: Worker;
  readonly #progress = new Progress();
  #sentAt = 0n;
  #terminated = false;

  constructor(policy: Pick<WorkerStart, 'module' | 'data'>, events: WorkerEvents) {
    const workerData: WorkerStart = { ...policy, progress: this.#progress.shared };
    this.#worker = new Worker(FILE, {
      workerData,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: ENVIRONMENT,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
    });
    this.ready = new Promise((resolve, reject) => {
      let reason = new Error('the policy worker ended');
      this.#worker.on('message', (reply: WorkerReply) => {
        if (reply === 'ready') resolve();
        else if (!this.#terminated) events.reply(this, reply);
      });
      this.#worker.on('error', (error) => {
        reason = error instanceof Error ? error : new Error(String(error));
      });
      this.#worker.on('exit', () => {
        reject(reason);
        if (!this.#terminated) events.end(this, reason);
      });
    });
    // Whoever starts the worker awaits it; a worker that ends later has told so by `end`.
    this.ready.catch(() => undefined);
  }

  send(job: Job, now: bigint): void {
    this.job = job;
    this.#sentAt = now;
    this.#worker.postMessage(job.inputs);
  }

  /** What of the current job is over its time: the place of one input in it, all of it, or nothing. */
  overrun(now: bigint, deadline: number): number | 'all' | undefined {
    const running = this.#progress.running(now);
    if (this.job === undefined || running === undefined) return undefined;
    if (running > deadline) return this.#progress.index;
    return Number(now - this.#sentAt) / 1e6 > this.job.limit(deadline) ? 'all' : undefined;
  }

  async terminate(): Promise<void> {
    this.#terminated = true;
    await this.#worker.terminate();
  }
}
