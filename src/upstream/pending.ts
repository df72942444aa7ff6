/** Requests that wait for their answers on one common stream, on which answers come in any order: by id. */
import type { Slices } from '../protocol/slices.ts';
import { answeredId, faultOf } from './answer.ts';
import type { LinkContext } from './link.ts';

interface Waiting {
  readonly resolve: (answer: Slices) => void;
  readonly reject: (error: Error) => void;
}

/** The requests of one link. */
export interface Pending {
  /** @returns the answer. @throws what `fail` or `end` is given, LinkError `bad_answer`, or the reason of the signal. */
  wait(id: number, signal?: AbortSignal): Promise<Slices>;
  /** Hands a message without a method to whoever waits for it; an answer that nobody waits for is counted. */
  answer(message: Slices): void;
  /** @returns whether somebody waited. */
  fail(id: number, error: Error): boolean;
  /** Fails all that wait. */
  end(error: Error): void;
}

export function createPending(dropped: LinkContext['dropped']): Pending {
  const waiting = new Map<number, Waiting>();

  function take(id: number | undefined): Waiting | undefined {
    const found = id === undefined ? undefined : waiting.get(id);
    if (id !== undefined) waiting.delete(id);
    return found;
  }

  function fail(id: number, error: Error): boolean {
    const found = take(id);
    found?.reject(error);
    return found !== undefined;
  }

  return {
    fail,
    wait: (id, signal) =>
      new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        signal?.addEventListener('abort', () => fail(id, signal.reason as Error), { once: true });
      }),
    answer(message) {
      const found = take(answeredId(message));
      if (!found) return dropped('unknown_answer');
      const fault = faultOf(message);
      if (fault) found.reject(fault);
      else found.resolve(message);
    },
    end(error) {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
}
