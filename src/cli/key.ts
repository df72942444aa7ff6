/** `gatehouse key create`: a new API key, shown once, and the lines that let it in. */
import { hash, randomBytes } from 'node:crypto';
import type { Command } from 'commander';

/** Recognisable in a leak scan; 256 bits, so that its plain hash is as good as a slow one. */
const PREFIX = 'gh_';

export function keyCommands(program: Command): void {
  const key = program.command('key').description('API keys of callers');
  key
    .command('create')
    .description('make an API key; the gateway stores its hash only')
    .requiredOption('--id <id>', 'who the key is for, as policies and the audit name it')
    .option('--role <role...>', 'roles', [])
    .action(({ id, role }: { id: string; role: string[] }) => {
      const secret = PREFIX + randomBytes(32).toString('base64url');
      process.stdout.write(
        `${secret}\n\nShown only now. Add this under auth.apiKeys in gateway.yaml:\n  - { id: ${JSON.stringify(id)}, sha256: "${hash('sha256', secret)}", roles: ${JSON.stringify(role)} }\n`,
      );
    });
}
