/** `gatehouse stdio`: the same gateway over stdin and stdout, for a host that can only start a command. */
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/errors.ts';
import { loadConfig } from '../config/load.ts';
import { createAuthenticate } from '../downstream/auth/authenticate.ts';
import { serveStdio } from '../downstream/stdio.ts';
import { closeServer, createAdminServer, openAddress } from './addresses.ts';
import { EXIT } from './exit.ts';
import { start, type Started } from './start.ts';

interface Options {
  readonly config?: string;
  readonly admin?: true;
}

/** Adds the command to `program`. */
export function stdioCommand(program: Command): void {
  program
    .command('stdio')
    .description('serve one client over stdin and stdout; opens no address')
    .option('-c, --config <file>', 'configuration file')
    .option('--admin', 'open the admin address too: metrics, status, health')
    .action(async (options: Options) => {
      const { config, secrets } = await loadConfig(
        options.config ?? program.opts<{ config: string }>().config,
      );
      checkStdoutIsFree(config);
      const started = await start(config, secrets);
      try {
        await serveOver(started, options.admin === true);
      } finally {
        await started.gateway.close();
      }
      // What is left behind must not keep the process; what was written must get out first.
      process.stdout.write('', () => process.exit(EXIT.ok));
    });
}

/**
 * Resolves when the client has gone and its calls have ended. Nobody has to show a key: whoever started this process can read
 * the configuration, and with it everything that a key would protect. What the caller may do is the policy's as ever.
 */
async function serveOver(started: Started, withAdmin: boolean): Promise<void> {
  const { config, log } = started;
  let draining = false;
  const admin = withAdmin ? createAdminServer(started, () => draining) : undefined;
  const adminUrl = admin && (await openAddress(admin, 'admin', config));
  const client = serveStdio({
    ...started,
    principal: createAuthenticate(undefined)({}),
    input: process.stdin,
    output: process.stdout,
  });
  const upstreams = config.upstreams.map(({ id }) => id);
  log.info({ upstreams, admin: adminUrl ?? 'not opened' }, 'serving one client over stdin and stdout');
  await Promise.race([client.ended.then(() => settled(client.idle(), config.shutdown.grace)), signalled()]);
  draining = true;
  log.info({}, 'shutting down');
  client.close();
  if (admin) await closeServer(admin, 0);
}

/** Resolves at the first signal; the second ends the process at once. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        process.once(signal, () => process.exit(EXIT.wrongInput));
        resolve();
      });
  });
}

/** Resolves with the work, or after `ms`. */
function settled(work: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** @throws ConfigError when something else would be written between the messages. */
function checkStdoutIsFree({ file, audit }: Config): void {
  const index = audit.sinks.findIndex(({ type }) => type === 'stdout');
  if (index < 0) return;
  throw new ConfigError(file, [
    {
      line: 0,
      column: 0,
      path: `audit.sinks[${index}]`,
      message: 'stdout carries the messages of "gatehouse stdio"; send the records to a file',
    },
  ]);
}
