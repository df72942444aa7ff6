/** The addresses that a command opens, and how they are closed again. */
import type { Server } from 'node:http';
import { createAdmin } from '../admin/admin.ts';
import type { Config } from '../config/config.ts';
import { healthRoutes } from '../downstream/app.ts';
import { createGuard } from '../downstream/guard.ts';
import { createListener, listen } from '../downstream/listener.ts';
import { VERSION } from '../version.ts';
import { EnvironmentError } from './exit.ts';
import type { Started } from './start.ts';

/** The admin address, not yet listening. */
export function createAdminServer(
  { config, gateway, metrics, requestId }: Started,
  draining: () => boolean,
): Server {
  const guard = createGuard([...config.hosts, config.admin.host, 'localhost', '127.0.0.1', '[::1]'], []);
  const health = healthRoutes(gateway, draining);
  const app = createAdmin({ gateway, metrics, health, version: VERSION, draining });
  return createListener({ guard, app, requestId, answered: metrics.httpRequest });
}

/** @returns `http://host:port`. @throws EnvironmentError when the port cannot be had; `key` is that of the configuration. */
export async function openAddress(
  server: Server,
  key: 'listen' | 'admin',
  { [key]: address }: Config,
): Promise<string> {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  try {
    return `http://${host}:${await listen(server, address)}`;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why =
      { EADDRINUSE: 'another program uses this port', EACCES: 'no permission for this port' }[code ?? ''] ??
      message;
    throw new EnvironmentError(
      `${key}: ${host}:${address.port} cannot be used: ${why}. Change "${key}" in the configuration or stop the other program.`,
      { cause },
    );
  }
}

/** Connections that a client keeps for later hold nothing that is waited for; those with an answer on its way get `grace` (ms). */
export function closeServer(server: Server, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const force = setTimeout(() => server.closeAllConnections(), grace);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(force);
      resolve();
    });
  });
}
