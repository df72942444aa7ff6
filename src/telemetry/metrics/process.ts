/** What runs, how the process is, and what is open now. */
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

export interface ProcessMetrics {
  /** Reads what is open now whenever metrics are asked for. */
  gauges(read: { readonly sessions: () => number; readonly streams: () => number }): void;
}

/** Gauges whose names end as only those of counters may; `nodejs_active_*` has the same numbers by type. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

export function processMetrics(registry: Registry, version: string): ProcessMetrics {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Gauge({
    name: 'gatehouse_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1);
  return {
    gauges({ sessions, streams }) {
      live(registry, 'gatehouse_sessions', 'Sessions of legacy clients that are open.', sessions);
      live(registry, 'gatehouse_streams', 'Event streams to clients that are open.', streams);
    },
  };
}

function live(registry: Registry, name: string, help: string, read: () => number): Gauge {
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
  return gauge;
}
