/** The child processes of a run: started, measured and stopped by their own ids, none left behind. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';

/** USER_HZ: the unit of the times in /proc/PID/stat, 100 a second on every common Linux. */
const TICKS_PER_SECOND = 100;
const GRACE = 5_000;

export interface Started {
  readonly pid: number;
  readonly child: ChildProcess;
}

export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** File for stderr; otherwise it goes to ours. */
  readonly log?: string;
}

export class Processes {
  readonly #running = new Set<ChildProcess>();
  #closed = false;

  /** Starts Node with these arguments; stdin and stdout are pipes. */
  start(args: readonly string[], { env, log }: StartOptions = {}): Started {
    if (this.#closed) throw new Error('the run is over');
    const stderr = log === undefined ? 'inherit' : openSync(log, 'a');
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', stderr] });
    if (typeof stderr === 'number') closeSync(stderr);
    if (child.pid === undefined) throw new Error(`node ${args.join(' ')} did not start`);
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return { pid: child.pid, child };
  }

  /** Starts Node and resolves to its stdout once it ended well. Rejects when it ends with another code. */
  async output(args: readonly string[], options: StartOptions = {}): Promise<string> {
    const { child } = this.start(args, options);
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code !== 0) throw new Error(`node ${args[0]} ended with ${code ?? signal}`);
    return text;
  }

  /** Starts a server that prints `{"port":N}` when it listens. Resolves to its loopback origin. */
  async server(args: readonly string[]): Promise<Started & { readonly origin: string }> {
    const started = this.start(args);
    const announced = once(started.child.stdout!.setEncoding('utf8'), 'data') as Promise<[string]>;
    const ended = once(started.child, 'exit').then((): never => {
      throw new Error(`node ${args[0]} ended before it listened`);
    });
    const [line] = await Promise.race([announced, ended]);
    const { port } = JSON.parse(line) as { port: number };
    ended.catch(() => undefined);
    return { ...started, origin: `http://127.0.0.1:${port}` };
  }

  /** Asks with SIGTERM, then insists with SIGKILL after five seconds. Resolves when the process has ended. */
  async stop({ child }: { readonly child: ChildProcess }): Promise<void> {
    if (!this.#running.has(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE);
    await ended;
    clearTimeout(timer);
  }

  /** Stops all that run; from now on none can be started. */
  async stopAll(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running].map((child) => this.stop({ child })));
  }
}

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined;
  }
}

/** CPU time in seconds that a process used in all its threads, user and system; undefined where there is no /proc. */
export function cpuSeconds(pid: number): number | undefined {
  const stat = procFile(pid, 'stat');
  if (stat === undefined) return undefined;
  // The command name, in brackets, may hold anything; the fields after it start with the state.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory of a process in bytes; undefined where there is no /proc. */
export function residentBytes(pid: number): number | undefined {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(procFile(pid, 'status') ?? '') ?? [];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

/** Loopback ports that were free a moment ago, for servers that must be told theirs. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
