/** `npm run audit` says what it found, and says so when it could not ask. The databases are stood in for by programs on the PATH. */
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, temporaryFolder } from '../e2e/kit.ts';

const QUIET = 'exit 0';
const NPM_FINDS = 'echo "lodash <4.17.21\\nSeverity: high severity vulnerability"; exit 1';
const NPM_OUT_OF_REACH = 'echo "audit endpoint returned an error" >&2; exit 1';
const GO_FINDS = 'echo "Vulnerability #1"; exit 3';
const GO_OUT_OF_REACH = 'echo "fetching vulnerabilities: no such host" >&2; exit 1';

function audit(programs: Readonly<Record<string, string>>): { status: number | null; stdout: string } {
  const path = temporaryFolder(
    Object.fromEntries(Object.entries(programs).map(([name, script]) => [name, `#!/bin/sh\n${script}\n`])),
  );
  for (const name of Object.keys(programs)) chmodSync(join(path, name), 0o755);
  return spawnSync(process.execPath, [join(ROOT, 'scripts/audit.ts')], {
    env: { PATH: path },
    encoding: 'utf8',
  });
}

it.each<[what: string, programs: Record<string, string>, code: number, said: RegExp]>([
  ['nothing known', { npm: QUIET, govulncheck: QUIET }, 0, /^npm.*: nothing known\nGo.*: nothing known\n$/m],
  ['a finding in npm', { npm: NPM_FINDS, govulncheck: QUIET }, 1, /npm.*: VULNERABLE/],
  [
    'a finding in Go, npm out of reach',
    { npm: NPM_OUT_OF_REACH, govulncheck: GO_FINDS },
    1,
    /npm.*: NOT CHECKED[^]*Go.*: VULNERABLE/,
  ],
  [
    'Go out of reach',
    { npm: QUIET, govulncheck: GO_OUT_OF_REACH },
    3,
    /Go.*: NOT CHECKED: the advisory database/,
  ],
  ['no govulncheck', { npm: QUIET }, 3, /Go.*: NOT CHECKED: govulncheck is not on the PATH/],
])('%s', (_what, programs, code, said) => {
  const { status, stdout } = audit(programs);
  expect(stdout).toMatch(said);
  expect(status).toBe(code);
});
