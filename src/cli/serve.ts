/** `gatehouse serve`: from the configuration file to a running gateway, and back down on SIGTERM or Ctrl-C. */
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { createApp } from '../downstream/app.ts';
import type { McpDependencies } from '../downstream/arrival.ts';
import { createAuthenticate } from '../downstream/auth/authenticate.ts';
import { createGuard } from '../downstream/guard.ts';
import { createListener } from '../downstream/listener.ts';
import { createMcp } from '../downstream/mcp.ts';
import { createSessions } from '../downstream/sessions.ts';
import { createSse } from '../downstream/sse.ts';
import { createStreams } from '../downstream/streams.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Log } from '../telemetry/log.ts';
import { closeServer, createAdminServer, openAddress } from './addresses.ts';
import { progress } from './banner.ts';
import { start, type Started } from './start.ts';

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
  const started = await start(config, secrets);
  const { gateway, log, metrics, requestId } = started;
  let draining = false;
  const isDraining = (): boolean => draining;
  const mcp = mcpOf(started, isDraining);
  const server = createListener({
    guard: mcp.guard,
    routes: { '/mcp': createMcp(mcp), ...(config.legacySse ? createSse(mcp) : {}) },
    app: createApp(gateway, isDraining),
    requestId,
    answered: metrics.httpRequest,
  });
  const admin = createAdminServer(started, isDraining);

  async function close(grace: number): Promise<void> {
    mcp.streams.close();
    await Promise.all([server, admin].map((each) => closeServer(each, grace)));
    await gateway.close();
  }

  try {
    const local = await openAddress(server, 'listen', config);
    const adminUrl = await openAddress(admin, 'admin', config);
    return {
      config,
      gateway,
      log,
      url: `${config.publicUrl ?? local}/mcp`,
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

/** What the MCP paths share, with the clients that are connected. */
function mcpOf(
  { config, gateway, log, metrics, requestId }: Started,
  draining: () => boolean,
): McpDependencies {
  const sessions = createSessions(config.limits.sessions, config.limits.sessionIdle, gateway.forget);
  const streams = createStreams(config.limits.streams);
  metrics.gauges({ sessions: () => sessions.count(), streams: () => streams.count() });
  gateway.onListsChanged((kinds) => streams.announce(kinds));
  gateway.onResourceUpdated(streams.update);
  const guard = createGuard(config.hosts, config.origins);
  const authenticate = createAuthenticate(config.auth);
  return { config, gateway, guard, authenticate, sessions, streams, log, requestId, draining };
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
