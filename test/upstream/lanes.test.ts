import { expect, it } from 'vitest';
import type { Connection } from '../../src/upstream/connection.ts';
import { createLanes } from '../../src/upstream/lanes.ts';

const PATIENT = { timeout: 10_000 };

/** Connections that only know whether they were closed. */
function counting() {
  const closed: number[] = [];
  let opened = 0;
  const open = async (): Promise<Connection> => {
    const number = ++opened;
    return { close: async () => void closed.push(number) } as unknown as Connection;
  };
  return { open, closed, opened: () => opened };
}

it('keeps a lane for its owner and gives it to nobody else', async () => {
  const { open, opened } = counting();
  const lanes = createLanes({ max: 8, each: 4, idle: 60_000 });
  const first = await lanes.take('ann', open, PATIENT);
  lanes.release(first, false);
  expect(await lanes.take('ann', open, PATIENT)).toBe(first);
  expect(await lanes.take('bob', open, PATIENT)).not.toBe(first);
  expect(opened()).toBe(2);
  await lanes.close();
});

it('never has one lane in two calls', async () => {
  const { open } = counting();
  const lanes = createLanes({ max: 8, each: 4, idle: 60_000 });
  const [one, two] = await Promise.all([lanes.take('ann', open, PATIENT), lanes.take('ann', open, PATIENT)]);
  expect(one).not.toBe(two);
});

it('closes the lane that rested longest to make room, and waits when none rests', async () => {
  const { open, closed, opened } = counting();
  const lanes = createLanes({ max: 2, each: 2, idle: 60_000 });
  const [a, b] = [await lanes.take('a', open, PATIENT), await lanes.take('b', open, PATIENT)];
  let got = false;
  const waiting = lanes.take('c', open, PATIENT).then((lane) => ((got = true), lane));
  await Promise.resolve();
  expect([got, opened()]).toEqual([false, 2]);
  lanes.release(a, false);
  await waiting;
  expect([closed, opened()]).toEqual([[1], 3]);
  lanes.release(b, false);
});

it('drops a broken lane, and one that is not used for a while', async () => {
  const { open, closed } = counting();
  const lanes = createLanes({ max: 2, each: 2, idle: 10 });
  lanes.release(await lanes.take('a', open, PATIENT), true);
  expect(closed).toEqual([1]);
  lanes.release(await lanes.take('a', open, PATIENT), false);
  await expect.poll(() => closed).toEqual([1, 2]);
});

it('lets a caller that gives up leave the queue, and a failed opening make room', async () => {
  const { open } = counting();
  const lanes = createLanes({ max: 1, each: 1, idle: 60_000 });
  const held = await lanes.take('a', open, PATIENT);
  const abort = new AbortController();
  const waiting = lanes.take('b', open, { ...PATIENT, signal: abort.signal });
  abort.abort(new Error('gave up'));
  await expect(waiting).rejects.toThrow('gave up');
  lanes.release(held, true);
  await expect(lanes.take('c', () => Promise.reject(new Error('no process')), PATIENT)).rejects.toThrow(
    'no process',
  );
  expect((await lanes.take('d', open, PATIENT)).owner).toBe('d');
});

it('lets no owner have all lanes, and no call wait for ever', async () => {
  const { open } = counting();
  const lanes = createLanes({ max: 4, each: 2, idle: 60_000 });
  await lanes.take('ann', open, PATIENT);
  await lanes.take('ann', open, PATIENT);
  await expect(lanes.take('ann', open, { timeout: 10 })).rejects.toMatchObject({ code: 'overloaded' });
  expect((await lanes.take('bob', open, { timeout: 10 })).owner).toBe('bob');
});
