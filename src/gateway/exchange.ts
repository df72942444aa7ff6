/**
 * Between the eras: one call of a client becomes the exchanges that its upstream needs, with what either side asks.
 *
 *   client   upstream
 *   legacy   legacy    questions go to the client on the stream of its call
 *   legacy   modern    `input_required` is asked of the client, then the request is repeated with the responses
 *   modern   legacy    a question parks the call; the client gets `input_required` and resumes it by its retry
 *   modern   modern    passed on; the upstream's state is wrapped in ours
 */
import type { Entry } from '../catalog/catalog.ts';
import { GatewayError } from '../errors.ts';
import type { Json, JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import { parseLossless } from '../protocol/json.ts';
import { answerable } from '../protocol/questions.ts';
import { textOf, type Slices } from '../protocol/slices.ts';
import type { Answer } from './answer.ts';
import type { Attempt } from './attempt.ts';
import { createConversation, type Conversation } from './conversation.ts';
import { forward, type Forwarding } from './forward.ts';
import { present } from './present.ts';
import { bindingOf } from './seal.ts';

/** Rounds of questions in one call; a server that goes on asking is stopped. */
const MAX_ROUNDS = 8;

/** What an earlier round of this call left with the client. */
export interface Earlier {
  /** Id of the record of the first round. */
  readonly first: string;
  /** The call that waits here, or the state that the upstream wants back. */
  readonly parked?: string;
  readonly state?: Json;
}

/** @throws GatewayError `invalid_params` for a state that was not made for this very call, or has expired. */
export function recall({ snapshot, call }: Attempt, { target }: Entry): Earlier | undefined {
  const { requestState } = call.params;
  if (call.era === 'legacy' || requestState === undefined) return undefined;
  const opened =
    typeof requestState === 'string'
      ? snapshot.seal.open(requestState, bindingOf(call, target.upstream))
      : undefined;
  if (opened !== undefined) return opened as unknown as Earlier;
  throw new GatewayError(
    'invalid_params',
    'params.requestState is not valid here: it was made for another call, or has expired. Send the request without it.',
  );
}

export async function exchange(
  attempt: Attempt,
  entry: Entry,
  earlier: Earlier | undefined,
): Promise<Answer> {
  const { call, snapshot } = attempt;
  if (call.era === 'legacy') return present(attempt, entry, await answerQuestions(attempt, entry));
  if (earlier?.parked !== undefined) return resume(attempt, entry, earlier.first, earlier.parked);
  const { server } = snapshot.upstreams.get(entry.target.upstream)!.status();
  if (server?.era === 'legacy' && answerable(call.capabilities)) return converse(attempt, entry);
  const state = earlier === undefined ? {} : { requestState: earlier.state ?? null };
  return wrapState(
    attempt,
    entry,
    earlier,
    present(attempt, entry, await forward(attempt, entry, { params: state })),
  );
}

/** legacy → modern: what the upstream wants to know is asked on the stream of the call. */
async function answerQuestions(attempt: Attempt, entry: Entry): Promise<Slices> {
  const { ask } = attempt.call;
  let params: JsonObject = {};
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answer = await forward(attempt, entry, { params, ...(ask ? { ask } : {}) });
    if (textOf(answer.bytes, answer.result.get('resultType')) !== '"input_required"') return answer;
    const { inputRequests, requestState } = parse(answer);
    if (ask === undefined)
      throw new GatewayError(
        'missing_capability',
        'The server needs an answer of the user, and this client declared that it gives none.',
      );
    const asked = Object.entries(isObject(inputRequests) ? inputRequests : {});
    const responses = await Promise.all(
      asked.map(async ([key, question]) => [key, await ask(questionFrom(question))] as const),
    );
    params = {
      inputResponses: Object.fromEntries(responses),
      ...(requestState === undefined ? {} : { requestState }),
    };
  }
  throw new GatewayError(
    'upstream_error',
    `The server "${entry.target.upstream}" asked more than ${MAX_ROUNDS} times in one call.`,
  );
}

function questionFrom(value: Json): { method: string; params: JsonObject } {
  const { method, params } = isObject(value) ? value : {};
  if (typeof method !== 'string')
    throw new GatewayError('upstream_error', 'The server asked something that is no request.');
  return { method, params: isObject(params) ? params : {} };
}

/** modern → legacy, first round. */
function converse(attempt: Attempt, entry: Entry): Promise<Answer> {
  const conversation = createConversation();
  attempt.snapshot.parking.makeRoom(placeOf(attempt, entry));
  const { abort, ask } = conversation;
  const notify: Forwarding['notify'] = (message) => conversation.notify(message);
  const answer = during(attempt, conversation, () =>
    forward(attempt, entry, { ask, notify, signal: abort.signal }),
  );
  return settle(attempt, entry, attempt.call.requestId, conversation, answer);
}

const placeOf = ({ call }: Attempt, { target }: Entry): string => `${target.upstream} ${call.owner}`;

/** modern → legacy, a later round: the responses reach the question that waits. */
function resume(attempt: Attempt, entry: Entry, first: string, id: string): Promise<Answer> {
  const parked = attempt.snapshot.parking.take(id);
  if (!parked)
    throw new GatewayError(
      'invalid_params',
      'params.requestState was used before, or the call did not wait so long. Send the request without it.',
    );
  const { inputResponses } = attempt.call.params;
  const { conversation, answer } = parked;
  return settle(
    attempt,
    entry,
    first,
    conversation,
    during(attempt, conversation, () => {
      conversation.give(isObject(inputResponses) ? inputResponses : {});
      return answer;
    }),
  );
}

/** While the client waits for this round, its going away ends the call; between rounds it does not. */
function during(attempt: Attempt, conversation: Conversation, run: () => Promise<Slices>): Promise<Slices> {
  const { signal, notify } = attempt.call;
  const { abort } = conversation;
  conversation.notify = notify;
  signal.addEventListener('abort', () => abort.abort(signal.reason), { once: true });
  return run();
}

async function settle(
  attempt: Attempt,
  entry: Entry,
  first: string,
  conversation: Conversation,
  answer: Promise<Slices>,
): Promise<Answer> {
  const outcome = await conversation.next(answer);
  if (outcome !== 'asked') return present(attempt, entry, outcome);
  const { snapshot, call } = attempt;
  const earlier = {
    first,
    parked: snapshot.parking.park({ place: placeOf(attempt, entry), conversation, answer }),
  };
  const requestState = snapshot.seal.seal(earlier, bindingOf(call, entry.target.upstream));
  const value = { resultType: 'input_required', inputRequests: conversation.questions(), requestState };
  return { member: 'result', value: JSON.stringify(value), outcome: 'input_required', status: 200 };
}

/** modern → modern: a state goes back only to the upstream that made it, and only for this call. */
function wrapState(
  { snapshot, call }: Attempt,
  { target }: Entry,
  earlier: Earlier | undefined,
  answer: Answer,
): Answer {
  if (answer.outcome !== 'input_required') return answer;
  const result = parseLossless(answer.value.toString()) as JsonObject;
  if (result['requestState'] === undefined) return answer;
  const kept = { first: earlier?.first ?? call.requestId, state: result['requestState'] };
  return {
    ...answer,
    value: JSON.stringify({
      ...result,
      requestState: snapshot.seal.seal(kept, bindingOf(call, target.upstream)),
    }),
  };
}

function parse({ bytes, top }: Slices): JsonObject {
  const result = parseLossless(textOf(bytes, top.get('result')) ?? '{}');
  return isObject(result) ? result : {};
}
