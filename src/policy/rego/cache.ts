/**
 * Compiled policies on disk, `<state>/policies/<key>.wasm` and `.json`: an unchanged policy is never compiled twice.
 * An entry vouches for itself with a digest; one that does not match is as good as none.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Kept at most; a reload leaves one behind. */
const KEPT = 64;

/** What is known of a compiled policy besides its module. */
export interface CompiledFacts {
  readonly reads: readonly (readonly string[])[] | null;
  readonly nondeterministic: boolean;
  /** The data document as JSON text. */
  readonly data: string;
}

export interface CacheEntry {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly facts: CompiledFacts;
}

function digestOf(facts: CompiledFacts, wasm: Uint8Array): string {
  return createHash('sha256').update(JSON.stringify(facts)).update(wasm).digest('hex');
}

/** The entry of that key, or undefined when there is none or it is damaged. */
export async function readEntry(folder: string, key: string): Promise<CacheEntry | undefined> {
  try {
    const [wasm, json] = await Promise.all([
      readFile(join(folder, `${key}.wasm`)),
      readFile(join(folder, `${key}.json`), 'utf8'),
    ]);
    const { digest, facts } = JSON.parse(json) as { digest: string; facts: CompiledFacts };
    return digest === digestOf(facts, wasm) ? { wasm: new Uint8Array(wasm), facts } : undefined;
  } catch {
    return undefined;
  }
}

/** Each file appears whole or not at all, whoever else writes the same. Throws what the file system says. */
export async function writeEntry(folder: string, key: string, { wasm, facts }: CacheEntry): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await prune(folder);
  await replace(join(folder, `${key}.wasm`), wasm);
  await replace(join(folder, `${key}.json`), JSON.stringify({ digest: digestOf(facts, wasm), facts }));
}

async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, content, { mode: 0o600 });
  await rename(temporary, path);
}

async function prune(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  if (names.length < KEPT) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const old = aged.toSorted((a, b) => b.at - a.at).slice(KEPT - 1);
  await Promise.all(
    old.flatMap(({ name }) =>
      ['.json', '.wasm'].map((end) => rm(join(folder, name.replace(/\.json$/, end)), { force: true })),
    ),
  );
}
