/** Reads the bytes of the configuration file and of secret files: regular files of a bounded size, as strict UTF-8. */
import { readFileSync, statSync, type Stats } from 'node:fs';

export const MAX_FILE = 1024 ** 2;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'no permission to read the file',
  EPERM: 'no permission to read the file',
  ENOTDIR: 'the file does not exist: a part of its path is not a folder',
  EISDIR: 'this is a folder, not a file',
  ELOOP: 'its symbolic links form a circle',
};

/** Thrown with a message that says why a file cannot be used, without its path or content. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** The text and the mode of a file; `Unreadable` when there is no such text. */
export function readText(path: string): { text: string; stats: Stats } {
  const stats = attempt(() => statSync(path));
  if (stats.isDirectory()) throw new Unreadable('this is a folder, not a file');
  if (!stats.isFile()) throw new Unreadable('this is not a regular file');
  if (stats.size > MAX_FILE) throw new Unreadable('the file is larger than 1 MiB');
  const bytes = attempt(() => readFileSync(path));
  return { text: decode(bytes), stats };
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new Unreadable(REASONS[code] ?? `the file cannot be read (${code})`, { cause });
  }
}

function decode(bytes: Buffer): string {
  if (bytes.subarray(0, 3).toString('hex') === 'efbbbf') {
    throw new Unreadable('the file starts with a byte order mark; save it as UTF-8 without one');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Unreadable('the file is not UTF-8 text', { cause });
  }
}
