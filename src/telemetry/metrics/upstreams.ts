/** How the upstreams are, and what they offer. */
import { Counter, Gauge, type Registry } from 'prom-client';

export interface UpstreamMetrics {
  upstreamUp(upstream: string, up: boolean): void;
  upstreamRestart(upstream: string): void;
  /** What an upstream sent and nobody got. */
  droppedMessage(upstream: string, reason: string): void;
  catalogEntries(upstream: string, kind: string, count: number): void;
  /** An upstream left the configuration: its gauges go. */
  forget(upstream: string): void;
}

export function upstreamMetrics(registry: Registry): UpstreamMetrics {
  const registers = [registry];
  const up = new Gauge({
    name: 'gatehouse_upstream_up',
    help: 'Whether the upstream answers: 1 or 0.',
    labelNames: ['upstream'],
    registers,
  });
  const restarts = new Counter({
    name: 'gatehouse_upstream_restarts_total',
    help: 'Times an upstream was lost and started again.',
    labelNames: ['upstream'],
    registers,
  });
  const dropped = new Counter({
    name: 'gatehouse_dropped_messages_total',
    help: 'Messages of an upstream that nobody got.',
    labelNames: ['upstream', 'reason'],
    registers,
  });
  const entries = new Gauge({
    name: 'gatehouse_catalog_entries',
    help: 'Tools, resources, templates and prompts of an upstream.',
    labelNames: ['upstream', 'kind'],
    registers,
  });
  const kinds = new Set<string>();
  return {
    upstreamUp: (upstream, isUp) => up.set({ upstream }, isUp ? 1 : 0),
    upstreamRestart: (upstream) => restarts.inc({ upstream }),
    droppedMessage: (upstream, reason) => dropped.inc({ upstream, reason }),
    catalogEntries(upstream, kind, count) {
      kinds.add(kind);
      entries.set({ upstream, kind }, count);
    },
    forget(upstream) {
      up.remove({ upstream });
      for (const kind of kinds) entries.remove({ upstream, kind });
    },
  };
}
