/** The command `gatehouse`: arguments to commands, errors to exit codes (0 ok, 1 the input is wrong, 2 usage, 3 the environment is wrong). */
import { Command, CommanderError } from 'commander';
import { VERSION } from '../version.ts';
import { checkCommand } from './check.ts';
import { EXIT, exitCodeOf, messageOf } from './exit.ts';
import { keyCommands } from './key.ts';
import { policyCommands } from './policy.ts';
import { serveCommand } from './serve.ts';
import { stdioCommand } from './stdio.ts';

const program = new Command('gatehouse')
  .description('One MCP endpoint in front of many MCP servers')
  .version(VERSION)
  .option('-c, --config <file>', 'configuration file', 'gateway.yaml')
  .exitOverride()
  .showHelpAfterError();

for (const add of [serveCommand, stdioCommand, checkCommand, policyCommands, keyCommands]) add(program);
// Commands are added in their own files; each takes over how the program ends.
for (const command of program.commands) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  } else {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
