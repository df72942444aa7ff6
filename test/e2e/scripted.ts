/** A scripted server as the configuration names it. */
import { fileURLToPath } from 'node:url';
import type { Script } from '../fixtures/scripted.ts';

const FILE = fileURLToPath(new URL('../fixtures/scripted.ts', import.meta.url));

/** One line of `upstreams:`; `more` is YAML that follows the command. */
export function scripted(id: string, script: Script, more = ''): string {
  const args = [FILE, JSON.stringify(script)].map((arg) => JSON.stringify(arg)).join(', ');
  return `  ${id}: { command: ${JSON.stringify(process.execPath)}, args: [${args}]${more && `, ${more}`} }\n`;
}
