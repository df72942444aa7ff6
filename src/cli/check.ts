/** `gatehouse check [file]`: says what a configuration sets up, or every problem of it at once. */
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';

/** Adds the command to `program`. A file with problems rejects the action with its `ConfigError`. */
export function checkCommand(program: Command): void {
  program
    .command('check')
    .description('check a configuration file and list every problem')
    .argument('[file]', 'the file; without it that of --config')
    .option('-c, --config <file>', 'configuration file')
    .action(async (argument: string | undefined, options: { config?: string }, command: Command) => {
      const file = argument ?? options.config ?? program.opts<{ config?: string }>().config ?? 'gateway.yaml';
      const { config } = await loadConfig(file);
      const { writeOut, writeErr } = command.configureOutput();
      writeOut?.(`${file} is valid: ${summary(config)}\n`);
      for (const warning of config.warnings) writeErr?.(`warning: ${warning}\n`);
    });
}

function summary({ upstreams, policy, auth }: Config): string {
  const ids = upstreams.map(({ id }) => id).join(', ');
  const callers =
    auth === undefined ? 'anyone on this machine may call' : count(auth.apiKeys.length, 'API key');
  return `${count(upstreams.length, 'upstream')}${ids && ` (${ids})`}; policy ${policy.mode}; ${callers}.`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
