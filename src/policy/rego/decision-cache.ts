/** Decisions already made, by what the policy read of their input; bounded in number and in bytes. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Decision } from '../../model.ts';

const MAX_ENTRIES = 20_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Longer texts are keyed by their digest: cheaper to keep, and no slower to find. */
const LONGEST_KEY = 512;

export class DecisionCache {
  readonly #decisions = new LRUCache<string, Decision>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOf,
  });

  /** The key of the input's read part (JSON text). */
  keyOf(text: string): string {
    return text.length <= LONGEST_KEY ? text : createHash('sha256').update(text).digest('base64');
  }

  get(key: string): Decision | undefined {
    return this.#decisions.get(key);
  }

  /** Only answers of the policy are kept, never the want of one. */
  set(key: string, decision: Decision): void {
    if (decision.failed !== true && decision.overloaded !== true) this.#decisions.set(key, decision);
  }
}

function sizeOf({ reasons, tags, mask }: Decision, key: string): number {
  const texts = [...reasons, ...tags, ...mask];
  return 200 + 2 * key.length + texts.reduce((sum, text) => sum + 2 * text.length + 16, 0);
}
