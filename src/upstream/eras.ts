/** Which era each upstream spoke when last seen, kept in the state directory, and which is tried first: a start probes nothing twice. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Era } from '../model.ts';

/** A verdict is dated: a server that has learned the new era since is asked again. */
const VALID = 7 * 24 * 3_600_000;

interface Seen {
  readonly era: Era;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface Eras {
  get(id: string): Era | undefined;
  set(id: string, era: Era): void;
}

export function rememberEras(stateDir: string, now: () => number = Date.now): Eras {
  const file = join(stateDir, 'eras.json');
  const seen = new Map<string, Seen>(read(file));
  return {
    get(id) {
      const last = seen.get(id);
      return last && now() - last.at < VALID ? last.era : undefined;
    },
    set(id, era) {
      const last = seen.get(id);
      if (last?.era === era && now() - last.at < VALID) return;
      seen.set(id, { era, at: now() });
      try {
        writeFileSync(file, JSON.stringify(Object.fromEntries(seen)));
      } catch {
        // Only a shortcut: without it the next start asks again.
      }
    },
  };
}

function read(file: string): [string, Seen][] {
  try {
    const entries = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Seen>);
    return entries.filter(
      ([, { era, at }]) => (era === 'legacy' || era === 'modern') && typeof at === 'number',
    );
  } catch {
    return [];
  }
}

/** The eras that a transport carries, with the preferred one first where it is among them. */
export const eraOrder = (preferred: Era, carried: readonly Era[]): readonly Era[] => [
  ...carried.filter((era) => era === preferred),
  ...carried.filter((era) => era !== preferred),
];
