/**
 * Every metric of the gateway. Names follow the OpenTelemetry conventions for MCP where they have one, else `gatehouse_*`;
 * docs/metrics.md describes them. Nothing a caller writes becomes the value of a label.
 */
import { Registry } from 'prom-client';
import { auditMetrics, type AuditMetrics } from './metrics/audit.ts';
import { operationMetrics, type OperationMetrics } from './metrics/operations.ts';
import { policyMetrics, type PolicyMetrics } from './metrics/policy.ts';
import { processMetrics, type ProcessMetrics } from './metrics/process.ts';
import { requestMetrics, type RequestMetrics } from './metrics/requests.ts';
import { toolMetrics, type ToolMetrics } from './metrics/tools.ts';
import { upstreamMetrics, type UpstreamMetrics } from './metrics/upstreams.ts';

type Groups = OperationMetrics &
  ToolMetrics &
  PolicyMetrics &
  RequestMetrics &
  UpstreamMetrics &
  AuditMetrics &
  ProcessMetrics;

/** Durations are in seconds; `upstream` is an id of the configuration, '' when the request has no target. */
export interface Metrics extends Groups {
  /** The exposition, in the format `contentType` names. */
  text(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsOptions {
  readonly version: string;
  /** Names of methods that may become labels; others are counted as `other`. */
  readonly methods: Iterable<string>;
  /** Default: one of its own. */
  readonly registry?: Registry;
}

export function createMetrics({ version, methods, registry = new Registry() }: MetricsOptions): Metrics {
  return {
    ...processMetrics(registry, version),
    ...operationMetrics(registry, new Set(methods)),
    ...toolMetrics(registry),
    ...policyMetrics(registry),
    ...requestMetrics(registry),
    ...upstreamMetrics(registry),
    ...auditMetrics(registry),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
