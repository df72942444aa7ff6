/** What the lines of the clients amount to: for each client, server and feature, what works directly and through the gateway. */
import type { Accepted } from './accepted.ts';
import type { CompatibilityClient } from './clients.ts';
import { FEATURE_IDS, type Feature, type Line } from './plan.ts';
import type { CompatibilityServer } from './servers.ts';

/** An attempt: '' when it worked, else why not. */
type Attempt = string;

export interface Cell {
  readonly client: CompatibilityClient;
  readonly server: CompatibilityServer;
  readonly feature: Feature;
  readonly direct: Attempt;
  readonly through: Attempt;
}

export type Way = 'direct' | 'gateway';
export const targetId = (way: Way, server: CompatibilityServer): string => `${way} ${server.id}`;

function attemptOf(lines: readonly Line[], target: string, feature: Feature): Attempt {
  const line = lines.find((one) => one.target === target && [feature, 'connect'].includes(one.feature));
  if (line === undefined) return 'the client said nothing';
  return line.ok ? '' : line.detail;
}

/** The cells of one client, for what the servers offer. */
export function cellsOf(
  client: CompatibilityClient,
  servers: readonly CompatibilityServer[],
  lines: readonly Line[],
): Cell[] {
  return servers.flatMap((server) => {
    const offers = server.offers('');
    const offered = FEATURE_IDS.filter((feature) => offers[feature]);
    return offered.map((feature) => ({
      client,
      server,
      feature,
      direct: attemptOf(lines, targetId('direct', server), feature),
      through: attemptOf(lines, targetId('gateway', server), feature),
    }));
  });
}

/** Works directly and not through the gateway. */
export const isLost = ({ direct, through }: Cell): boolean => direct === '' && through !== '';

export const covers = (accepted: Accepted, { client, server, feature }: Cell): boolean =>
  accepted.feature === feature &&
  accepted.servers.includes(server.id) &&
  (accepted.clients?.includes(client.id) ?? true);
