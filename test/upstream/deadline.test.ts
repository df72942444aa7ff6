import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startDeadline } from '../../src/upstream/deadline.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('expires after its time, and not when cleared', () => {
  let expired = 0;
  startDeadline(100, () => void expired++);
  startDeadline(100, () => void expired++).clear();
  startDeadline(0, () => void expired++);
  const cleared = startDeadline(100, () => void expired++);
  const release = cleared.hold();
  cleared.clear();
  release();
  vi.advanceTimersByTime(99);
  expect(expired).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect(expired).toBe(1);
});

it('stands still while held, by however many', () => {
  let expired = 0;
  const deadline = startDeadline(100, () => void expired++);
  vi.advanceTimersByTime(60);
  const [first, second] = [deadline.hold(), deadline.hold()];
  vi.advanceTimersByTime(1_000);
  first();
  first();
  vi.advanceTimersByTime(1_000);
  second();
  vi.advanceTimersByTime(39);
  expect(expired).toBe(0);
  vi.advanceTimersByTime(2);
  expect(expired).toBe(1);
});
