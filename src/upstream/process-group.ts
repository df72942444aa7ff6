/** A child process and everything it started: one group, ended whole. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const STEP = 2_000;
const LOOK = 20;

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

/** Closes stdin, then SIGTERM, then SIGKILL to the group, two seconds apart; resolves when nobody in it is left. */
export async function endGroup(child: ChildProcessWithoutNullStreams): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  child.stdin.end();
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (await goneWithin(pid, STEP)) return;
    signalGroup(pid, signal);
  }
  await goneWithin(pid, STEP);
}

/** Nobody tells of the end of grandchildren: the group has to be looked at. */
async function goneWithin(pid: number, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (isPopulated(pid)) {
    if (performance.now() > end) return false;
    await sleep(LOOK);
  }
  return true;
}

function isPopulated(pid: number): boolean {
  try {
    return process.kill(groupOf(pid), 0);
  } catch {
    return false;
  }
}

const groupOf = (pid: number): number => (process.platform === 'win32' ? pid : -pid);

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(groupOf(pid), signal);
  } catch {
    // ESRCH: nobody is left, which is what was wanted.
  }
}
