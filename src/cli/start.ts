/** The gateway and what stands around it, from a configuration: the same for every command that serves clients. */
import { mkdirSync } from 'node:fs';
import { createAudit } from '../audit/audit.ts';
import type { Config } from '../config/config.ts';
import { startGateway, type Gateway } from '../gateway/gateway.ts';
import { compileLimits } from '../limits/memory.ts';
import { loadPolicy } from '../policy/load.ts';
import { METHODS } from '../protocol/methods.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { createScrubber } from '../telemetry/scrub.ts';
import { rememberEras } from '../upstream/eras.ts';
import { IDENTITY, VERSION } from '../version.ts';
import { EnvironmentError } from './exit.ts';
import { requestIds } from './request-ids.ts';

export interface Started {
  readonly config: Config;
  readonly gateway: Gateway;
  readonly log: Log;
  readonly metrics: Metrics;
  /** A new id for an attempt. */
  readonly requestId: () => string;
}

/** Starts all upstreams; opens no address. @throws PolicyError, EnvironmentError */
export async function start(config: Config, secrets: readonly string[]): Promise<Started> {
  const scrubber = createScrubber(secrets);
  const log = createLog({ level: config.log.level, scrub: scrubber });
  for (const warning of config.warnings) log.warn({}, warning);
  makeStateDir(config.state.dir);
  const metrics = createMetrics({ version: VERSION, methods: Object.keys(METHODS) });
  const policy = await loadPolicy(config.policy, { stateDir: config.state.dir, log });
  const gateway = startGateway({
    config,
    policy,
    limits: compileLimits(config.rateLimits),
    audit: createAudit({ ...config.audit, scrub: scrubber, metrics, log }),
    metrics,
    identity: IDENTITY,
    log,
    eras: rememberEras(config.state.dir),
  });
  return { config, gateway, log, metrics, requestId: requestIds() };
}

function makeStateDir(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new EnvironmentError(`state.dir ${dir} cannot be made: ${(cause as Error).message}`, { cause });
  }
}
