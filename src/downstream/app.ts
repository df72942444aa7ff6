/** The plain HTTP application of the public address: health, and a clear answer on every other path. */
import { Hono } from 'hono';
import type { Gateway } from '../gateway/gateway.ts';

/** `/healthz`: the process lives. `/readyz`: every upstream was tried and the gateway is not shutting down. */
export function healthRoutes(gateway: Pick<Gateway, 'ready'>, draining: () => boolean): Hono {
  const app = new Hono();
  app.get('/healthz', (c) => c.text('ok\n'));
  app.get('/readyz', (c) => {
    if (draining()) return c.text('shutting down\n', 503);
    return gateway.ready() ? c.text('ready\n') : c.text('starting\n', 503);
  });
  return app;
}

export function createApp(gateway: Gateway, draining: () => boolean): Hono {
  const app = healthRoutes(gateway, draining);
  app.notFound((c) => c.json({ error: 'not found', hint: 'The MCP endpoint is /mcp.' }, 404));
  return app;
}
