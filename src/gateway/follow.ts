/** The requests that subscribe to resources: one by one in the legacy era, with the stream in the modern one. */
import type { Entry } from '../catalog/catalog.ts';
import type { JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import { ok, type Answer } from './answer.ts';
import type { Attempt } from './attempt.ts';
import { decide } from './decide.ts';
import { present } from './present.ts';

/** Lists of which a stream can tell changes, in the words of the filter. */
const LISTS = ['tools', 'prompts', 'resources'];
/** URIs in one `subscriptions/listen`; more are not acknowledged. */
const MAX_URIS = 1_000;

/** `resources/subscribe` and `resources/unsubscribe`, when the policy has allowed them. */
export async function follow(attempt: Attempt, entry: Entry): Promise<Answer> {
  const { snapshot, call } = attempt;
  const { subscriptions } = snapshot;
  if (call.method === 'resources/unsubscribe') {
    subscriptions.remove(call.owner, entry);
    return ok({}, call.era);
  }
  const answer = await subscriptions.add(call.owner, entry, call.params['uri'] as string);
  // Nobody would end it: the session has, or the client does not know of it.
  if (call.signal.aborted) subscriptions.remove(call.owner, entry);
  return answer?.top.has('result') === false ? present(attempt, entry, answer) : ok({}, call.era);
}

/**
 * `subscriptions/listen`: what of the filter is honoured, as the acknowledgement tells it (2026-07-28). A URI that is unknown
 * here, or not for this caller, is left out. The subscriber is the request: its stream is.
 */
export async function listen(attempt: Attempt): Promise<JsonObject> {
  const { snapshot, call } = attempt;
  const asked = isObject(call.params['notifications']) ? call.params['notifications'] : {};
  const lists = LISTS.filter((kind) => asked[`${kind}ListChanged`] === true && kind in snapshot.capabilities);
  const notifications: JsonObject = Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true]));
  const uris = asked['resourceSubscriptions'];
  if (Array.isArray(uris)) notifications['resourceSubscriptions'] = await honoured(attempt, uris);
  return { notifications };
}

async function honoured(attempt: Attempt, asked: readonly unknown[]): Promise<string[]> {
  const uris = [...new Set(asked.filter((uri) => typeof uri === 'string'))].slice(0, MAX_URIS);
  attempt.record.arguments({ resourceSubscriptions: uris });
  const stands = await Promise.all(uris.map((uri) => subscribed(attempt, uri)));
  return uris.filter((_uri, index) => stands[index]);
}

async function subscribed(attempt: Attempt, uri: string): Promise<boolean> {
  const { snapshot, call } = attempt;
  const entry = snapshot.catalog.byUri(uri);
  if (!entry) return false;
  for (const phase of ['list', 'request'] as const)
    if (!(await decide(attempt, phase, entry)).allow) return false;
  const answer = await snapshot.subscriptions
    .add(call.requestId, entry, uri)
    .then((given) => given?.top.has('result') ?? true)
    .catch(() => false);
  return answer;
}
