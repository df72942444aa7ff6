/** The clients: each is a program that reads targets and writes lines (plan.ts). */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import type { Line, Target } from './plan.ts';
import type { Needs } from './servers.ts';

export interface CompatibilityClient {
  readonly id: string;
  readonly title: string;
  readonly needs?: Needs;
  readonly command: string;
  readonly args: readonly string[];
}

const here = (path: string): string => join(import.meta.dirname, path);

/** @param goClient the built Go client. */
export function compatibilityClients(goClient: string): CompatibilityClient[] {
  const typescript = (kind: string) => ({
    command: process.execPath,
    args: [here('typescript/client.ts'), kind],
  });
  const python = (mode: string) =>
    ({ needs: 'mcp (Python)', command: 'python3', args: [here('python/client.py'), mode] }) as const;
  const go = (version: string) => ({ needs: 'Go', command: goClient, args: [version] }) as const;
  return [
    { id: 'v1', title: 'SDK v1', ...typescript('v1') },
    { id: 'v2-legacy', title: 'SDK v2, legacy era', ...typescript('v2-legacy') },
    { id: 'v2-modern', title: 'SDK v2, modern era', ...typescript('v2-modern') },
    { id: 'py-legacy', title: 'Python SDK, legacy era', ...python('legacy') },
    { id: 'py-modern', title: 'Python SDK, modern era first', ...python('auto') },
    { id: 'go-legacy', title: 'Go SDK, legacy era', ...go('2025-11-25') },
    { id: 'go-modern', title: 'Go SDK, modern era first', ...go('2026-07-28') },
  ];
}

/** Runs one client on all targets. @throws Error when it ends before it has said something about each. */
export async function runClient(client: CompatibilityClient, targets: readonly Target[]): Promise<Line[]> {
  const child = spawn(client.command, client.args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints = (complaints + chunk.toString()).slice(-2_000)));
  child.stdin.end(JSON.stringify(targets));
  const lines: Line[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(JSON.parse(line) as Line);
  const silent = targets.filter(({ id }) => !lines.some(({ target }) => target === id));
  if (silent.length > 0)
    throw new Error(
      `${client.title} said nothing about ${silent.map(({ id }) => id).join(', ')}:\n${complaints}`,
    );
  return lines;
}
