/** Loads configuration text from a folder of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { ConfigError } from '../../src/config/errors.ts';
import { loadConfig, type Loaded } from '../../src/config/load.ts';

export const dir = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
const file = join(dir, 'gateway.yaml');
afterAll(() => rmSync(dir, { recursive: true }));

type Env = Record<string, string | undefined>;

export function load(text: string | Buffer, env: Env = {}): Promise<Loaded> {
  writeFileSync(file, text);
  return loadConfig(file, env);
}

/** The lines of the error, without the name of the folder; fails when the text loads. */
export async function problemsOf(text: string | Buffer, env: Env = {}): Promise<string[]> {
  try {
    await load(text, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(`${dir}/`, '').split('\n');
    throw error;
  }
  throw new Error('the file was accepted');
}
