/** The requests that the gateway answers itself. */
import { GatewayError } from '../errors.ts';
import type { Call, JsonObject } from '../model.ts';
import { isLegacyVersion, LEGACY_VERSIONS } from '../protocol/versions.ts';
import { discovery, ok, type Answer } from './answer.ts';
import type { Attempt } from './attempt.ts';
import { limit } from './limit.ts';
import type { Snapshot } from './snapshot.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const ANSWERS: Readonly<Record<string, (snapshot: Snapshot, call: Call) => JsonObject>> = {
  initialize: ({ identity, capabilities }, { params }) => ({
    protocolVersion: negotiate(params['protocolVersion']),
    capabilities,
    serverInfo: identity,
  }),
  'server/discover': ({ identity, capabilities }) => discovery(identity, capabilities),
  ping: () => ({}),
  'logging/setLevel'(_snapshot, { params }) {
    if (LEVELS.includes(params['level'] as string)) return {};
    throw new GatewayError('invalid_params', `params.level must be one of ${LEVELS.join(', ')}.`);
  },
  /** The answer that ends the stream; the stream itself is the transport's (downstream/modern.ts). */
  'subscriptions/listen': () => ({}),
};

export async function answered(attempt: Attempt): Promise<Answer> {
  limit(attempt);
  const { snapshot, call } = attempt;
  return ok(ANSWERS[call.method]!(snapshot, call), call.era);
}

/** What the client asked for when we speak it, else our newest (2025-11-25, "Lifecycle: version negotiation"). */
export function negotiate(requested: unknown): string {
  if (typeof requested !== 'string')
    throw new GatewayError('invalid_params', 'params.protocolVersion must be a string.');
  return isLegacyVersion(requested) ? requested : LEGACY_VERSIONS[0];
}
