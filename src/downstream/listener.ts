/**
 * The public listener. The MCP paths sit on node:http itself: they are hot, and they stream. Everything else is the hono
 * application behind them.
 */
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { GatewayError } from '../errors.ts';
import type { Handler } from './endpoint.ts';
import type { Guard } from './guard.ts';
import { sendError } from './reply.ts';

const HEADERS_TIMEOUT = 15_000;
const REQUEST_TIMEOUT = 60_000;
const KEEP_ALIVE = 65_000;

export interface ListenerOptions {
  readonly guard: Guard;
  /** By path; they check the guard themselves. */
  readonly routes?: Readonly<Record<string, Handler>>;
  readonly app: Hono;
  readonly requestId: () => string;
  /** Told the status of every answer. */
  readonly answered: (status: number) => void;
}

/** Not yet listening. Slow and oversized headers are ended by Node's own clocks and bounds. */
export function createListener({ guard, routes = {}, app, requestId, answered }: ListenerOptions): Server {
  const rest = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      keepAliveTimeout: KEEP_ALIVE,
      connectionsCheckingInterval: 5_000,
    },
    function handle(request, response) {
      response.once('close', () => answered(response.statusCode));
      const route = routes[pathOf(request.url)];
      if (route) return route(request, response);
      try {
        guard.check(request);
      } catch (error) {
        return sendError(response, error as GatewayError, requestId(), null);
      }
      void rest(request, response);
    },
  );
  return server;
}

function pathOf(url = ''): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** @throws the system's error (EADDRINUSE, EACCES, …) */
export function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
