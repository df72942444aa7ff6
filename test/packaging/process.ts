/** Programs as an operator starts them, for what is packed: run to the end, or started and ended by a signal. */
import { spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { createServer } from 'node:net';
import { delimiter, dirname } from 'node:path';
import { onTestFinished } from 'vitest';

/** This Node in front, so that `#!/usr/bin/env node` and npm use it. */
export const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);

/** Runs to the end. @returns what it wrote to stdout. @throws Error with its output when it fails. */
export function run(command: string, args: readonly string[], cwd: string): string {
  const env = { ...process.env, PATH };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

export interface Started {
  /** Resolves as soon as the output matches, with the first group or the whole match; rejects when the program ends first. */
  saw(pattern: RegExp): Promise<string>;
  /** The exit code; null after a signal that was not handled. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM. @returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a program that is killed when the test is over. */
export function start(command: string, args: readonly string[], options: SpawnOptions): Started {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let output = '';
  return {
    ended,
    saw: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (chunk: Buffer | string): void => {
          output += chunk.toString();
          const found = pattern.exec(output);
          if (found) resolve(found[1] ?? found[0]);
        };
        look('');
        child.stdout?.on('data', look);
        child.stderr?.on('data', look);
        void ended.then((code) =>
          reject(new Error(`ended with ${code} before ${pattern} was seen:\n${output}`)),
        );
      }),
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** A port that nobody used a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
