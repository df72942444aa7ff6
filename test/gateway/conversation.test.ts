import { expect, it } from 'vitest';
import { createConversation, createParkingLot } from '../../src/gateway/conversation.ts';
import type { Slices } from '../../src/protocol/slices.ts';

const never = new Promise<Slices>(() => undefined);
const question = { method: 'elicitation/create', params: { message: '?' } };

it('stops for questions, takes the responses, and goes on', async () => {
  const conversation = createConversation();
  let answer: (slices: Slices) => void = () => undefined;
  const upstream = new Promise<Slices>((resolve) => (answer = resolve));
  const first = conversation.ask(question);
  const second = conversation.ask(question);
  expect(await conversation.next(upstream)).toBe('asked');
  expect(conversation.questions()).toEqual({ 'question-1': question, 'question-2': question });
  conversation.give({ 'question-1': { action: 'accept' } });
  expect(await first).toEqual({ action: 'accept' });
  await expect(second).rejects.toMatchObject({ code: 'invalid_params' });
  const slices = {} as Slices;
  answer(slices);
  expect(await conversation.next(upstream)).toBe(slices);
});

it('notices a question that comes while it waits', async () => {
  const conversation = createConversation();
  const next = conversation.next(never);
  void conversation.ask(question);
  expect(await next).toBe('asked');
});

it('gives a parked call back once', () => {
  const lot = createParkingLot(10, 60_000);
  const parked = { place: 'p', conversation: createConversation(), answer: never };
  const id = lot.park(parked);
  expect(lot.take(id)).toBe(parked);
  expect(lot.take(id)).toBeUndefined();
  expect(parked.conversation.abort.signal.aborted).toBe(false);
});

it('cancels a call that nobody comes back for, that is one too many, or that the end finds', async () => {
  const lot = createParkingLot(2, 20);
  const calls = Array.from({ length: 3 }, () => createConversation());
  for (const conversation of calls) lot.park({ place: 'p', conversation, answer: never });
  expect(calls[0]!.abort.signal.aborted).toBe(true);
  await new Promise<void>((resolve) => calls[1]!.abort.signal.addEventListener('abort', () => resolve()));
  const last = createParkingLot(2, 60_000);
  const left = createConversation();
  last.park({ place: 'p', conversation: left, answer: never });
  last.close();
  expect(left.abort.signal.reason).toMatchObject({ code: 'shutdown' });
});

it('lets a client leave three calls at one upstream, and ends the oldest for the next', () => {
  const lot = createParkingLot(100, 60_000);
  const calls = Array.from({ length: 5 }, () => createConversation());
  const park = (place: string, conversation: (typeof calls)[0]): void => {
    lot.makeRoom(place);
    lot.park({ place, conversation, answer: never });
  };
  const elsewhere = createConversation();
  park('other', elsewhere);
  for (const conversation of calls) park('here', conversation);
  expect([...calls, elsewhere].map(({ abort }) => abort.signal.aborted)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
