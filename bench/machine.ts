/** What the figures of a run depend on: the machine and the versions. */
import { readFile } from 'node:fs/promises';
import { cpus, loadavg, release, totalmem, type as system } from 'node:os';
import { join } from 'node:path';

/** The machine and the versions the figures depend on. */
export async function machine(root: string): Promise<Record<string, string>> {
  const versionOf = async (file: string) =>
    (JSON.parse(await readFile(join(root, file), 'utf8')) as { version: string }).version;
  const [cpu] = cpus();
  return {
    CPU: `${cpu?.model.trim() ?? 'unknown'}, ${cpus().length} cores`,
    Memory: `${(totalmem() / 1024 ** 3).toFixed(0)} GiB`,
    System: `${system()} ${release()}`,
    'Load before the run': loadavg()[0]!.toFixed(2),
    Node: process.version,
    Gatehouse: await versionOf('package.json'),
    undici: await versionOf('node_modules/undici/package.json'),
  };
}
