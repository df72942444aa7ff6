/**
 * What a call sees of the gateway: an immutable view, built anew whenever the configuration or a list changes. It refers
 * to long-lived things (upstreams, policy, limits, audit) that it does not own.
 */
import type { Audit } from '../audit/audit.ts';
import { buildCatalog, type Catalog, type Ownership } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { Limits } from '../limits/limits.ts';
import type { Json, JsonObject } from '../model.ts';
import type { Policy } from '../policy/policy.ts';
import { isObject } from '../protocol/envelope.ts';
import type { ParkingLot } from './conversation.ts';
import type { Seal } from './seal.ts';
import { offersSubscriptions, type Subscriptions } from './subscriptions.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** The long-lived things behind every snapshot. */
export interface Parts {
  readonly config: Config;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly audit: Audit;
  readonly metrics: Metrics;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly owners: Ownership;
  /** For what clients keep between the rounds of a call. */
  readonly seal: Seal;
  readonly parking: ParkingLot;
  readonly subscriptions: Subscriptions;
  /** How the gateway names itself (`Implementation`). */
  readonly identity: JsonObject;
}

export interface Snapshot extends Parts {
  readonly catalog: Catalog;
  /** The union of what the upstreams can do, as clients are told (`ServerCapabilities`). */
  readonly capabilities: JsonObject;
  /** What the policy learns of each upstream. */
  readonly upstreamFacts: ReadonlyMap<string, UpstreamFacts>;
}

export interface UpstreamFacts {
  readonly id: string;
  readonly transport: string;
  readonly labels: Readonly<Record<string, string>>;
}

export function takeSnapshot(parts: Parts): Snapshot {
  const upstreams = [...parts.upstreams.values()];
  const sources = upstreams.map((upstream) => ({ ...upstream.config, lists: upstream.lists() }));
  return {
    ...parts,
    catalog: buildCatalog(sources, parts.config.naming, parts.owners),
    capabilities: mergeCapabilities(upstreams),
    upstreamFacts: new Map(
      upstreams.map(({ config }) => [
        config.id,
        { id: config.id, transport: config.transport, labels: config.labels },
      ]),
    ),
  };
}

const LISTED: JsonObject = { listChanged: true };

/** While one upstream has not been seen, it may bring anything: then the three lists are offered, empty or not. */
function mergeCapabilities(upstreams: readonly Upstream[]): JsonObject {
  const known = upstreams.map((upstream) => upstream.status().server?.capabilities);
  const has = (name: string): boolean =>
    known.some((capabilities) => capabilities !== undefined && isObject(capabilities[name]));
  const unseen = known.includes(undefined);
  const offered: Record<string, Json> = {};
  for (const name of ['tools', 'prompts', 'resources']) if (unseen || has(name)) offered[name] = LISTED;
  if (upstreams.some(offersSubscriptions)) offered['resources'] = { ...LISTED, subscribe: true };
  for (const name of ['completions', 'logging']) if (has(name)) offered[name] = {};
  return offered;
}
