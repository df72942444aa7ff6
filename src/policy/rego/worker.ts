/** The worker thread: one policy instance that decides batches of inputs, one batch at a time. */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { Decision } from '../../model.ts';
import { decisionFrom, failed } from './decision.ts';
import { type Evaluate, instantiate } from './module.ts';
import { Progress } from './progress.ts';

/** What a worker starts with. */
export interface WorkerStart {
  readonly module: WebAssembly.Module;
  /** The data document as JSON text. */
  readonly data: string;
  readonly progress: SharedArrayBuffer;
}

/** A batch of inputs as JSON text goes in, their decisions come out in the same order. `ready` comes first, once. */
export type WorkerReply = 'ready' | readonly Decision[];

const { module, data, progress: shared } = workerData as WorkerStart;
const progress = new Progress(shared);
let evaluate: Evaluate = instantiate(module, data);

function decide(input: string, index: number): Decision {
  progress.begin(index);
  try {
    return decisionFrom(evaluate(input));
  } catch (thrown) {
    // The throw left the instance's memory in the middle of something.
    evaluate = instantiate(module, data);
    return failed(`policy error: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

parentPort?.on('message', (inputs: readonly string[]) => {
  const decisions = inputs.map(decide);
  progress.end();
  parentPort?.postMessage(decisions satisfies WorkerReply);
});
parentPort?.postMessage('ready' satisfies WorkerReply);
// A worker is terminated, not ended: what it compiled would be lost to the next start.
flushCompileCache();
