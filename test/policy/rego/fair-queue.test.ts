import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from '../../../src/policy/rego/fair-queue.ts';

test('keys are served in turn, each in order of arrival', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.push(item.charAt(0), item);
  expect(queue.waiting('a')).toBe(3);
  expect(Array.from({ length: 7 }, () => queue.shift())).toEqual([
    'a1',
    'b1',
    'c1',
    'a2',
    'b2',
    'a3',
    undefined,
  ]);
  expect(queue.size).toBe(0);
});

test('a caller with many waits does not delay one with few', () => {
  const queue = new FairQueue<string>();
  for (let index = 0; index < 1_000; index++) queue.push('flood', 'f');
  queue.push('other', 'o');
  expect([queue.shift(), queue.shift()]).toContain('o');
});

test('takeWhile takes from the front of every key', () => {
  const queue = new FairQueue<number>();
  for (const [key, item] of [
    ['a', 1],
    ['a', 5],
    ['b', 2],
    ['b', 3],
    ['c', 6],
  ] as const)
    queue.push(key, item);
  expect(queue.takeWhile((item) => item < 4)).toEqual([1, 2, 3]);
  expect([queue.size, queue.waiting('b')]).toEqual([2, 0]);
  expect([queue.shift(), queue.shift()]).toEqual([5, 6]);
});

test('nothing is lost or doubled, and no key is served twice while another waits', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat())), (items) => {
      const queue = new FairQueue<readonly [string, number]>();
      for (const item of items) queue.push(item[0], item);
      const served = Array.from({ length: items.length }, () => queue.shift());
      expect(served.map(String).toSorted()).toEqual(items.map(String).toSorted());
      const last = new Map(served.map((item, index) => [item?.[0], index]));
      for (const [index, item] of served.entries()) {
        const previous = served[index - 1]?.[0];
        if (item !== undefined && item[0] === previous) {
          expect([...last].every(([key, at]) => key === item[0] || at < index)).toBe(true);
        }
      }
      expect(queue.size).toBe(0);
    }),
  );
});
