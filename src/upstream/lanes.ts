/**
 * Connections on which one call at a time runs, for callers that can be asked something. Only so is it certain whose call
 * a question belongs to: stdio has one channel for all, and a legacy HTTP server may ask on the common stream.
 *
 *   take(owner) ─► an idle lane of the owner │ a new one │ (at the cap) one that another leaves ─► release
 */
import type { Connection } from './connection.ts';

export interface Lane {
  readonly owner: string;
  readonly connection: Connection;
}

export interface LanesOptions {
  /** Connections at once; more calls wait. */
  readonly max: number;
  /** Milliseconds after which an unused lane is closed. */
  readonly idle: number;
}

export interface Lanes {
  /**
   * A lane for one call. `owner` stands for the client and what it declared: what a server keeps for a connection is
   * never seen by another. @throws what `open` throws, or the signal's reason.
   */
  take(owner: string, open: () => Promise<Connection>, signal?: AbortSignal): Promise<Lane>;
  /** Gives it back; `broken` when it must not be used again. */
  release(lane: Lane, broken: boolean): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly owner: string;
  readonly wake: () => void;
}

export function createLanes({ max, idle }: LanesOptions): Lanes {
  const resting = new Map<Lane, NodeJS.Timeout>();
  const waiting: Waiting[] = [];
  let count = 0;

  function drop(lane: Lane): void {
    clearTimeout(resting.get(lane));
    resting.delete(lane);
    count--;
    void lane.connection.close();
  }

  function rested(owner: string): Lane | undefined {
    for (const [lane, timer] of resting) {
      if (lane.owner !== owner) continue;
      clearTimeout(timer);
      resting.delete(lane);
      return lane;
    }
    return undefined;
  }

  /** Room for one more: below the cap, or by closing the lane that rested longest. */
  function makeRoom(): boolean {
    if (count < max) return true;
    const [oldest] = resting.keys();
    if (oldest) drop(oldest);
    return oldest !== undefined;
  }

  function turn(owner: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry: Waiting = { owner, wake: resolve };
      waiting.push(entry);
      signal?.addEventListener('abort', () => {
        const at = waiting.indexOf(entry);
        if (at >= 0) waiting.splice(at, 1);
        reject(signal.reason as Error);
      });
    });
  }

  return {
    async take(owner, open, signal) {
      for (;;) {
        const lane = rested(owner);
        if (lane) return lane;
        if (makeRoom()) break;
        await turn(owner, signal);
      }
      count++;
      try {
        return { owner, connection: await open() };
      } catch (error) {
        count--;
        waiting.shift()?.wake();
        throw error;
      }
    },
    release(lane, broken) {
      const timer = setTimeout(() => drop(lane), idle);
      timer.unref();
      resting.set(lane, timer);
      if (broken) drop(lane);
      waiting.shift()?.wake();
    },
    async close() {
      const lanes = [...resting.keys()];
      for (const lane of lanes) clearTimeout(resting.get(lane));
      resting.clear();
      await Promise.all(lanes.map(({ connection }) => connection.close()));
    },
  };
}
