/** The admin address: metrics, health and status. No caller, session id, argument or credential is shown here. */
import { Hono } from 'hono';
import type { Gateway, UpstreamReport } from '../gateway/gateway.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface AdminOptions {
  readonly gateway: Gateway;
  readonly metrics: Metrics;
  readonly health: Hono;
  readonly version: string;
  readonly draining: () => boolean;
}

export function createAdmin({ gateway, metrics, health, version, draining }: AdminOptions): Hono {
  const app = new Hono();
  app.route('/', health);
  app.get('/metrics', async (c) =>
    c.body(await metrics.text(), 200, { 'content-type': metrics.contentType }),
  );
  app.get('/status', (c) => c.json(status(gateway, version, draining())));
  app.notFound((c) =>
    c.json({ error: 'not found', paths: ['/metrics', '/status', '/healthz', '/readyz'] }, 404),
  );
  return app;
}

function status(gateway: Gateway, version: string, draining: boolean) {
  const { policy, audit, config } = gateway.snapshot();
  return {
    version,
    state: draining ? 'draining' : gateway.ready() ? 'ready' : 'starting',
    upstreams: gateway.status().map(describe),
    policy: { mode: policy.mode, version: policy.version, files: policy.files },
    rateLimits: config.rateLimits.map(({ name }) => name),
    audit: audit.status(),
  };
}

function describe({ server, ...report }: UpstreamReport) {
  return server === undefined
    ? report
    : Object.assign(report, {
        era: server.era,
        protocolVersion: server.version,
        serverInfo: server.serverInfo,
      });
}
