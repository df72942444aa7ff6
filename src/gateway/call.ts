/**
 * The route of one call, and the only place that orders its steps:
 *
 *   resolve ─► limit ─► authorize ─► exchange (credential, forward, present)          finally: the record closes
 *
 * "Is every call checked and recorded?" is answered by reading `route` and `forwarded`.
 */
import type { Entry } from '../catalog/catalog.ts';
import { asGatewayError, GatewayError } from '../errors.ts';
import type { Call, Outcome } from '../model.ts';
import { METHODS, REFUSED, type Method } from '../protocol/methods.ts';
import { failed, type Answer } from './answer.ts';
import { answered } from './answered.ts';
import type { Attempt } from './attempt.ts';
import { decide, refusal } from './decide.ts';
import { exchange, recall } from './exchange.ts';
import { follow } from './follow.ts';
import { limit } from './limit.ts';
import { merged } from './lists.ts';
import { checkCallHeaders } from './param-headers.ts';
import type { Snapshot } from './snapshot.ts';
import { argumentsOf, findTarget, unknownTarget } from './target.ts';

const RULES = { answered, merged, forwarded };

/** Answers any request of a client. Never throws: what goes wrong becomes the answer, and one record is closed. */
export async function route(snapshot: Snapshot, call: Call, requestBytes: number): Promise<Answer> {
  const started = performance.now();
  const attempt: Attempt = {
    snapshot,
    call,
    record: snapshot.audit.open(call, requestBytes),
    entry: undefined,
  };
  let answer: Answer | undefined;
  try {
    answer = await RULES[methodOf(attempt).rule](attempt);
  } catch (thrown) {
    const error = call.signal.aborted ? cancelled(call) : asGatewayError(thrown);
    attempt.record.error(error);
    answer = failed(error, call);
  } finally {
    close(attempt, answer, started);
  }
  return answer;
}

/** What the gateway does for a request with a target. */
async function forwarded(attempt: Attempt): Promise<Answer> {
  const hidden = await resolve(attempt);
  const { entry, record } = attempt;
  const earlier = entry && recall(attempt, entry);
  // A retry with our state goes on with a call that was counted.
  if (earlier) record.continues(earlier.first);
  else limit(attempt);
  if (entry === undefined) throw unknownTarget(attempt.call, hidden);
  checkCallHeaders(attempt.call, entry);
  await authorize(attempt, entry);
  return METHODS[attempt.call.method]!.subscription
    ? follow(attempt, entry)
    : exchange(attempt, entry, earlier);
}

/**
 * Finds the target, if it exists and this caller may know of it: what the list phase hides is not there.
 * @returns for the audit, why a target that exists was not found.
 */
async function resolve(attempt: Attempt): Promise<Outcome | undefined> {
  const { snapshot, call, record } = attempt;
  record.arguments(argumentsOf(call));
  const entry = findTarget(snapshot, call);
  if (entry === undefined) return undefined;
  record.target(entry.target, entry.exposed);
  const visible = await decide(attempt, 'list', entry);
  if (visible.overloaded) throw refusal(visible, entry.target);
  if (visible.allow) attempt.entry = entry;
  else record.decision(visible, snapshot.policy.version);
  return visible.failed ? 'policy_error' : 'denied';
}

async function authorize(attempt: Attempt, entry: Entry): Promise<void> {
  const decision = await decide(attempt, 'request', entry);
  attempt.record.decision(decision, attempt.snapshot.policy.version);
  if (!decision.allow) throw refusal(decision, entry.target);
}

/** @throws GatewayError `method_not_found` when nobody, or nobody here, knows the method. */
function methodOf({ snapshot, call }: Attempt): Method {
  const method = METHODS[call.method];
  if (!method?.eras.includes(call.era)) throw unknownMethod(call.method);
  if (method.capability === undefined || method.capability in snapshot.capabilities) return method;
  throw new GatewayError('method_not_found', `No server behind this gateway offers ${call.method}.`);
}

const unknownMethod = (method: string): GatewayError =>
  new GatewayError(
    'method_not_found',
    method in REFUSED ? `${method}: ${REFUSED[method]}.` : `Unknown method: ${method}`,
  );

const cancelled = ({ signal }: Call): GatewayError =>
  signal.reason instanceof GatewayError
    ? signal.reason
    : new GatewayError('cancelled', 'The request was cancelled.');

function close(
  { snapshot, call, record, entry }: Attempt,
  answer: Answer | undefined,
  started: number,
): void {
  const { outcome, value } = answer ?? { outcome: 'unknown' as const, value: '' };
  record.close(outcome, typeof value === 'string' ? Buffer.byteLength(value) : value.length);
  const { metrics } = snapshot;
  metrics.operation(
    { method: call.method, upstream: entry?.target.upstream, outcome },
    (performance.now() - started) / 1000,
  );
  if (call.method === 'tools/call' && entry)
    metrics.toolCall(entry.target.upstream, entry.target.name, outcome === 'ok');
}
