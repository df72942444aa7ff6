/** The requests that the gateway answers itself. */
import { GatewayError } from '../errors.ts';
import type { JsonObject } from '../model.ts';
import { isLegacyVersion, LEGACY_VERSIONS } from '../protocol/versions.ts';
import { discovery, ok, type Answer } from './answer.ts';
import type { Attempt } from './attempt.ts';
import { listen } from './follow.ts';
import { instructionsFor } from './instructions.ts';
import { limit } from './limit.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const ANSWERS: Readonly<Record<string, (attempt: Attempt) => JsonObject | Promise<JsonObject>>> = {
  initialize: async (attempt) => ({
    protocolVersion: negotiate(attempt.call.params['protocolVersion']),
    capabilities: attempt.snapshot.capabilities,
    serverInfo: attempt.snapshot.identity,
    ...(await instructions(attempt)),
  }),
  'server/discover': async (attempt) => ({
    ...discovery(attempt.snapshot.identity, attempt.snapshot.capabilities),
    ...(await instructions(attempt)),
  }),
  ping: () => ({}),
  'logging/setLevel'({ call }) {
    if (LEVELS.includes(call.params['level'] as string)) return {};
    throw new GatewayError('invalid_params', `params.level must be one of ${LEVELS.join(', ')}.`);
  },
  /** What the stream brings; the stream itself is the transport's (downstream/modern.ts). */
  'subscriptions/listen': listen,
};

export async function answered(attempt: Attempt): Promise<Answer> {
  limit(attempt);
  const { method, era } = attempt.call;
  return ok(await ANSWERS[method]!(attempt), era);
}

async function instructions(attempt: Attempt): Promise<{ instructions?: string }> {
  const text = await instructionsFor(attempt);
  return text === undefined ? {} : { instructions: text };
}

/** What the client asked for when we speak it, else our newest (2025-11-25, "Lifecycle: version negotiation"). */
export function negotiate(requested: unknown): string {
  if (typeof requested !== 'string')
    throw new GatewayError('invalid_params', 'params.protocolVersion must be a string.');
  return isLegacyVersion(requested) ? requested : LEGACY_VERSIONS[0];
}
