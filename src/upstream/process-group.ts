/** A child process and everything it started: one group, ended whole. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

const STEP = 2_000;

/** Leaders of the groups that are alive; a gateway that ends by whatever way takes them along. */
const alive = new Set<number>();
process.on('exit', () => {
  for (const pid of alive) signalGroup(pid, 'SIGKILL');
});

export interface SpawnOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** Starts the leader of a new process group. `npx` and shells put the real server behind wrappers; the group holds them all. */
export function spawnGroup({ command, args, cwd, env }: SpawnOptions): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: 'pipe',
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const { pid } = child;
  if (pid !== undefined) {
    alive.add(pid);
    // The leader may end before its children: the group is gone only when nobody in it is left.
    child.once('exit', () => {
      signalGroup(pid, 'SIGTERM');
      setTimeout(() => {
        signalGroup(pid, 'SIGKILL');
        alive.delete(pid);
      }, STEP).unref();
    });
  }
  return child;
}

/** Closes stdin, then SIGTERM, then SIGKILL to the group, two seconds apart; resolves when the leader has ended. */
export async function endGroup(child: ChildProcessWithoutNullStreams): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<true>((resolve) => child.once('exit', () => resolve(true)));
  child.stdin.end();
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (await within(ended, STEP)) return;
    signalGroup(pid, signal);
  }
  await within(ended, STEP);
}

async function within(ended: Promise<true>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // ESRCH: nobody is left, which is what was wanted.
  }
}
