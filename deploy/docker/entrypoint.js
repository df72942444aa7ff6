// Runs the command in this process, so that signals reach it; says how to mount a configuration when there is none.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

const at = process.argv.indexOf('--config');
const file = at < 0 ? undefined : process.argv[at + 1];
if (file !== undefined && !existsSync(file)) {
  process.stderr.write(`There is no ${file} in this container. Mount one, and its policies:
  docker run -v ./gateway.yaml:${file}:ro \\
             -v ./policies:${dirname(file)}/policies:ro …
`);
  process.exit(1);
}
await import('../../bin/gatehouse.js');
