/** How a tool or prompt of an upstream is called downstream. Pure: the same configuration gives the same names for ever. */
import { createHash } from 'node:crypto';

export interface Naming {
  readonly separator: string;
  /** Longest exposed name; hosts add prefixes of their own and some model APIs stop at 64. */
  readonly maxLength: number;
}

const HASH = 6;

/** Six letters that depend on upstream and original name only. */
export function nameHash(upstream: string, original: string): string {
  return createHash('sha256').update(`${upstream}\0${original}`).digest('hex').slice(0, HASH);
}

/**
 * `<prefix><separator><original>`, made valid for every host (`[a-zA-Z0-9_-]`) and cut to the budget. A name that had to
 * be changed gets the hash, so that two originals never end as one. Without a prefix names pass as they are.
 */
export function exposedName(prefix: string, upstream: string, original: string, naming: Naming): string {
  if (prefix === '') return original;
  const name = `${prefix}${naming.separator}${original}`;
  const valid = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  return valid === name && name.length <= naming.maxLength
    ? name
    : withHash(valid, upstream, original, naming);
}

/** The form that every target answers to, also when its plain name went to another. */
export function hashedName(prefix: string, upstream: string, original: string, naming: Naming): string {
  const plain = prefix === '' ? original : `${prefix}${naming.separator}${original}`;
  return withHash(plain.replaceAll(/[^a-zA-Z0-9_-]/g, '_'), upstream, original, naming);
}

function withHash(valid: string, upstream: string, original: string, { maxLength }: Naming): string {
  return `${valid.slice(0, maxLength - HASH - 1)}_${nameHash(upstream, original)}`;
}
