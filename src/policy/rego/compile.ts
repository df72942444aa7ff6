/** From sources to a compiled module, through the cache. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { BUILTIN_NAMES, HOST_BUILTINS } from './builtins.ts';
import { type CacheEntry, type CompiledFacts, readEntry, writeEntry } from './cache.ts';
import type { Sources } from './sources.ts';
import { runToolchain, toolchainChecksum } from './toolchain.ts';

/** Changes when an entry made by an older gateway could mean something else. */
const FORMAT = 1;

export interface CompiledPolicy extends CompiledFacts {
  readonly module: WebAssembly.Module;
}

export interface CompileOptions {
  readonly stateDir: string;
  /** A compiled policy could not be kept; the next start compiles again. */
  readonly onUnwritable?: (error: unknown) => void;
}

/** Compiles unless the same sources, builtins and toolchain were compiled before. Throws PolicyError, ToolchainError. */
export async function compilePolicy(
  sources: Sources,
  { stateDir, onUnwritable }: CompileOptions,
): Promise<CompiledPolicy> {
  const folder = join(stateDir, 'policies');
  const key = keyOf(sources);
  const known = await readEntry(folder, key);
  const entry = known ?? (await compile(sources));
  if (known === undefined)
    await writeEntry(folder, key, entry).catch((error: unknown) => onUnwritable?.(error));
  return { ...entry.facts, module: await WebAssembly.compile(entry.wasm) };
}

function keyOf(sources: Sources): string {
  const parts = [FORMAT, sources.digest, BUILTIN_NAMES, toolchainChecksum()];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

async function compile({ policies, data }: Sources): Promise<CacheEntry> {
  const result = await runToolchain('compile', { files: policies, data });
  const impure = result.builtins.some((name) => HOST_BUILTINS[name]?.deterministic === false);
  const facts = {
    reads: impure ? null : result.reads,
    nondeterministic: impure || result.nondeterministic,
    data: result.data,
  };
  return { wasm: new Uint8Array(Buffer.from(result.wasm, 'base64')), facts };
}
