/**
 * `npm run audit`: asks the advisory databases about what is shipped: npm packages, and the Go modules of the toolchain.
 * Exit code 0: nothing known; 1: something found; 3: at least one database could not be asked. CI does not depend on it.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('..', import.meta.url);

type Verdict = 'clean' | 'found' | 'unknown';

interface Scanner {
  readonly what: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** Relative to the root of the checkout. */
  readonly folder: string;
  readonly verdict: (run: SpawnSyncReturns<string>) => Verdict;
  /** What to do when the program is not there. */
  readonly install: string;
}

const SCANNERS: readonly Scanner[] = [
  {
    what: 'npm packages that are installed in production',
    command: ['npm', 'audit', '--omit=dev'],
    folder: '.',
    // npm ends with 1 both for findings and for a registry without advisories; only findings are on stdout.
    verdict: ({ status, stdout }) =>
      status === 0 ? 'clean' : stdout.includes('severity') ? 'found' : 'unknown',
    install: 'npm comes with Node',
  },
  {
    what: 'Go modules inside the Rego toolchain',
    command: ['govulncheck', './...'],
    folder: 'tools/rego/',
    verdict: ({ status }) => (status === 0 ? 'clean' : status === 3 ? 'found' : 'unknown'),
    install: 'go install golang.org/x/vuln/cmd/govulncheck@latest',
  },
];

const SAID: Readonly<Record<Verdict, string>> = {
  clean: 'nothing known',
  found: 'VULNERABLE, see above',
  unknown: 'NOT CHECKED: the advisory database could not be asked, see above',
};

function scan({ what, command: [program, ...args], folder, verdict, install }: Scanner): Verdict {
  const run = spawnSync(program, args, { cwd: fileURLToPath(new URL(folder, ROOT)), encoding: 'utf8' });
  if (run.error) {
    process.stdout.write(`${what}: NOT CHECKED: ${program} is not on the PATH (${install})\n`);
    return 'unknown';
  }
  process.stdout.write(run.stdout);
  process.stderr.write(run.stderr);
  const result = verdict(run);
  process.stdout.write(`${what}: ${SAID[result]}\n`);
  return result;
}

const verdicts = new Set(SCANNERS.map(scan));
process.exitCode = verdicts.has('found') ? 1 : verdicts.has('unknown') ? 3 : 0;
