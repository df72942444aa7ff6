/**
 * Connections on which one call at a time runs, for callers that can be asked something. Only so is it certain whose call
 * a question belongs to: stdio has one channel for all, and a legacy HTTP server may ask on the common stream.
 *
 *   take(owner) ─► an idle lane of the owner │ a new one │ (at the cap) one that another leaves ─► release
 */
import { GatewayError } from '../errors.ts';
import type { Connection } from './connection.ts';

export interface Lane {
  readonly owner: string;
  readonly connection: Connection;
}

export interface LanesOptions {
  /** Connections at once, and of one owner; more calls wait. */
  readonly max: number;
  readonly each: number;
  /** Milliseconds after which an unused lane is closed. */
  readonly idle: number;
}

/** How long a call may wait for a lane, in milliseconds, and what ends the wait before. */
export interface Patience {
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Lanes {
  /**
   * A lane for one call. `owner` stands for the client and what it declared: what a server keeps for a connection is
   * never seen by another. @throws what `open` throws, GatewayError `overloaded`, or the signal's reason.
   */
  take(owner: string, open: () => Promise<Connection>, patience: Patience): Promise<Lane>;
  /** Gives it back; `broken` when it must not be used again. */
  release(lane: Lane, broken: boolean): void;
  close(): Promise<void>;
}

export function createLanes({ max, each, idle }: LanesOptions): Lanes {
  const resting = new Map<Lane, NodeJS.Timeout>();
  /** Lanes of each owner, resting or not. */
  const counts = new Map<string, number>();
  const waiting = new Set<() => void>();
  let total = 0;

  function count(owner: string, change: 1 | -1): void {
    total += change;
    const now = (counts.get(owner) ?? 0) + change;
    if (now === 0) counts.delete(owner);
    else counts.set(owner, now);
  }

  function drop(lane: Lane): void {
    clearTimeout(resting.get(lane));
    resting.delete(lane);
    count(lane.owner, -1);
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

  /** Room for one more of this owner: below both caps, or by closing the lane that rested longest. */
  function makeRoom(owner: string): boolean {
    if ((counts.get(owner) ?? 0) >= each) return false;
    if (total < max) return true;
    const [oldest] = resting.keys();
    if (oldest) drop(oldest);
    return oldest !== undefined;
  }

  /** Everybody who waits looks again: what came free may not be for the first of them. */
  function wake(): void {
    const all = [...waiting];
    waiting.clear();
    for (const look of all) look();
  }

  function change({ signal }: Patience, until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => leave(() => reject(crowded(max))),
        Math.max(0, until - performance.now()),
      );
      const gone = (): void => leave(() => reject(signal?.reason as Error));
      const look = (): void => leave(resolve);
      function leave(then: () => void): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', gone);
        waiting.delete(look);
        then();
      }
      waiting.add(look);
      signal?.addEventListener('abort', gone, { once: true });
    });
  }

  async function opened(owner: string, open: () => Promise<Connection>): Promise<Lane> {
    count(owner, 1);
    try {
      return { owner, connection: await open() };
    } catch (error) {
      count(owner, -1);
      wake();
      throw error;
    }
  }

  return {
    async take(owner, open, patience) {
      const until = performance.now() + patience.timeout;
      for (;;) {
        const lane = rested(owner);
        if (lane) return lane;
        if (makeRoom(owner)) return opened(owner, open);
        await change(patience, until);
      }
    },
    release(lane, broken) {
      const timer = setTimeout(() => drop(lane), idle);
      timer.unref();
      resting.set(lane, timer);
      if (broken) drop(lane);
      wake();
    },
    async close() {
      const lanes = [...resting.keys()];
      for (const lane of lanes) clearTimeout(resting.get(lane));
      resting.clear();
      await Promise.all(lanes.map(({ connection }) => connection.close()));
    },
  };
}

const crowded = (max: number): GatewayError =>
  new GatewayError(
    'overloaded',
    `All ${max} connections for calls that may ask the user something are in use.`,
    { retryAfter: 5 },
  );
