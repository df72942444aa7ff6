import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { coalesce } from '../../src/upstream/coalesce.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A task whose runs the test ends. */
function task() {
  const ends: (() => void)[] = [];
  const run = vi.fn<() => Promise<void>>(() => new Promise<void>((resolve) => ends.push(resolve)));
  return { run, end: () => ends.shift()!() };
}

it('makes one run of many requests, at the end of the period', async () => {
  const { run, end } = task();
  const { ask } = coalesce(run, 500);
  for (let i = 0; i < 100; i++) ask();
  await vi.advanceTimersByTimeAsync(499);
  expect(run).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(1);
  end();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run).toHaveBeenCalledTimes(1);
});

it('never runs twice at once, and once more for what was asked during a run', async () => {
  const { run, end } = task();
  const { ask } = coalesce(run, 500);
  ask();
  await vi.advanceTimersByTimeAsync(500);
  for (let i = 0; i < 100; i++) ask();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run).toHaveBeenCalledTimes(1);
  end();
  await vi.advanceTimersByTimeAsync(499);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(2);
});

it('forgets what is due when it is cancelled, and can be asked again', async () => {
  const { run } = task();
  const { ask, cancel } = coalesce(run, 500);
  ask();
  cancel();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run).toHaveBeenCalledTimes(0);
  ask();
  await vi.advanceTimersByTimeAsync(500);
  expect(run).toHaveBeenCalledTimes(1);
});
