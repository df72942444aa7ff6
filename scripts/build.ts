/** `npm run build`: compiles src/ to dist/, which is what the package and the image run; ends with the compiler's exit code. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMPILER = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** A file of an earlier build would be shipped although its source is gone. */
rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
const { status, error } = spawnSync(process.execPath, [COMPILER, '--project', 'tsconfig.build.json'], {
  cwd: ROOT,
  stdio: 'inherit',
});
if (error) throw error;
process.exitCode = status ?? 1;
