/** `gatehouse serve`: from the configuration file to a running gateway, and back down on SIGTERM or Ctrl-C. */
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Command } from 'commander';
import { createAdmin } from '../admin/admin.ts';
import { createAudit } from '../audit/audit.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { createApp, healthRoutes } from '../downstream/app.ts';
import { createAuthenticate } from '../downstream/auth/authenticate.ts';
import { createGuard } from '../downstream/guard.ts';
import { createListener, listen } from '../downstream/listener.ts';
import { createMcp } from '../downstream/mcp.ts';
import { createSessions } from '../downstream/sessions.ts';
import { createStreams } from '../downstream/streams.ts';
import { startGateway, type Gateway } from '../gateway/gateway.ts';
import { compileLimits } from '../limits/memory.ts';
import { loadPolicy } from '../policy/load.ts';
import { METHODS } from '../protocol/methods.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createScrubber } from '../telemetry/scrub.ts';
import { rememberEras } from '../upstream/eras.ts';
import { IDENTITY, VERSION } from '../version.ts';
import { progress } from './banner.ts';
import { EnvironmentError } from './exit.ts';
import { requestIds } from './request-ids.ts';

export interface Running {
  readonly config: Config;
  readonly gateway: Gateway;
  readonly log: Log;
  /** The MCP endpoint. */
  readonly url: string;
  readonly adminUrl: string;
  /** Drains: new requests are refused, running ones get `shutdown.grace`, then everything ends. */
  stop(): Promise<void>;
}

export function serveCommand(program: Command): void {
  program
    .command('serve', { isDefault: true })
    .description('run the gateway')
    .option('-c, --config <file>', 'configuration file')
    .action(async (options: { config?: string }) => {
      const { config, secrets } = await loadConfig(
        options.config ?? program.opts<{ config: string }>().config,
      );
      const running = await serve(config, secrets);
      stopOnSignal(running);
      progress(running, (text) => void process.stderr.write(text));
    });
}

/** @throws PolicyError, or EnvironmentError when a port cannot be had. */
export async function serve(config: Config, secrets: readonly string[]): Promise<Running> {
  const scrubber = createScrubber(secrets);
  const log = createLog({ level: config.log.level, scrub: scrubber });
  for (const warning of config.warnings) log.warn({}, warning);
  makeStateDir(config.state.dir);
  const metrics = createMetrics({ version: VERSION, methods: Object.keys(METHODS) });
  const policy = await loadPolicy(config.policy, { stateDir: config.state.dir, log });
  const audit = createAudit({ ...config.audit, scrub: scrubber, metrics, log });
  const limits = compileLimits(config.rateLimits);
  const gateway = startGateway({
    config,
    policy,
    limits,
    audit,
    metrics,
    identity: IDENTITY,
    log,
    eras: rememberEras(config.state.dir),
  });

  let draining = false;
  const requestId = requestIds();
  const sessions = createSessions(config.limits.sessions, config.limits.sessionIdle);
  const streams = createStreams(config.limits.streams);
  metrics.gauges({ sessions: () => sessions.count(), streams: () => streams.count() });
  gateway.onListsChanged((kinds) => streams.announce(kinds));
  const guard = createGuard(config.hosts, config.origins);
  const mcp = createMcp({
    config,
    gateway,
    guard,
    authenticate: createAuthenticate(config.auth),
    sessions,
    streams,
    log,
    requestId,
    draining: () => draining,
  });
  const isDraining = (): boolean => draining;
  const answered = metrics.httpRequest;
  const server = createListener({ guard, mcp, app: createApp(gateway, isDraining), requestId, answered });
  const adminGuard = createGuard([...config.hosts, config.admin.host, 'localhost', '127.0.0.1', '[::1]'], []);
  const adminApp = createAdmin({
    gateway,
    metrics,
    health: healthRoutes(gateway, isDraining),
    version: VERSION,
    draining: isDraining,
  });
  const admin = createListener({ guard: adminGuard, app: adminApp, requestId, answered });

  async function close(grace: number): Promise<void> {
    streams.close();
    await Promise.all([server, admin].map((each) => closeServer(each, grace)));
    await gateway.close();
  }

  try {
    const port = await listenOn(server, 'listen', config.listen);
    const adminPort = await listenOn(admin, 'admin', config.admin);
    const url = config.publicUrl ?? `http://${hostText(config.listen.host)}:${port}`;
    const adminUrl = `http://${hostText(config.admin.host)}:${adminPort}`;
    return {
      config,
      gateway,
      log,
      url: `${url}/mcp`,
      adminUrl,
      async stop() {
        draining = true;
        log.info({}, 'shutting down');
        await close(config.shutdown.grace);
      },
    };
  } catch (error) {
    await close(0);
    throw error;
  }
}

function makeStateDir(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new EnvironmentError(`state.dir ${dir} cannot be made: ${(cause as Error).message}`, { cause });
  }
}

const hostText = (host: string): string => (host.includes(':') ? `[${host}]` : host);

async function listenOn(server: Server, key: string, address: Config['listen']): Promise<number> {
  try {
    return await listen(server, address);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const where = `${key}: ${hostText(address.host)}:${address.port}`;
    const why =
      { EADDRINUSE: 'another program uses this port', EACCES: 'no permission for this port' }[code ?? ''] ??
      message;
    throw new EnvironmentError(
      `${where} cannot be used: ${why}. Change "${key}" in the configuration or stop the other program.`,
      { cause },
    );
  }
}

/** Connections that a client keeps for later hold nothing that is waited for; those with an answer on its way get `grace`. */
function closeServer(server: Server, grace: number): Promise<void> {
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

/** The first signal drains, the second ends at once. */
function stopOnSignal(running: Running): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    void running.stop().then(() => process.exit(0));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
