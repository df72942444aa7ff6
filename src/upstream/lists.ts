/** Reads the lists of one upstream over all their pages, bounded. */
import type { JsonObject, TargetKind } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import { METHODS } from '../protocol/methods.ts';
import { resultOf, type Connection } from './connection.ts';
import { LinkError } from './link.ts';

const MAX_PAGES = 200;
const MAX_ENTRIES = 10_000;
/** Of one list over all its pages. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The definitions as the upstream listed them. */
export type Lists = Readonly<Record<TargetKind, readonly JsonObject[]>>;

export const NO_LISTS: Lists = { tool: [], resource: [], template: [], prompt: [] };

export interface FetchedLists {
  readonly lists: Lists;
  /** What was left out and why, for the operator. */
  readonly warnings: readonly string[];
}

/** The four lists and the capability under which each exists. */
const SOURCES = [
  { method: 'tools/list', capability: 'tools' },
  { method: 'prompts/list', capability: 'prompts' },
  { method: 'resources/list', capability: 'resources' },
  { method: 'resources/templates/list', capability: 'resources' },
] as const;

/**
 * A list that the server refuses or does not give in time stays as it was `last`.
 * @param timeout milliseconds for each page.
 * @throws LinkError when the connection is of no use any more.
 */
export async function fetchLists(
  connection: Connection,
  timeout: number,
  last: Lists,
): Promise<FetchedLists> {
  const warnings: string[] = [];
  const offered = SOURCES.filter(({ capability }) => isObject(connection.server.capabilities[capability]));
  const fetched = await Promise.all(
    offered.map(async ({ method }) => {
      const { kind, member } = METHODS[method]!.list!;
      const list = await followPages(connection, method, member, timeout).catch((error: unknown) => {
        if (error instanceof LinkError && error.failure !== 'bad_answer') throw error;
        // Many servers with resources do not know the method for templates: that is no fault of theirs.
        const reason = error instanceof Error ? error.message : String(error);
        return { entries: last[kind], warning: kind === 'template' ? undefined : `failed: ${reason}` };
      });
      if (list.warning !== undefined) warnings.push(`${method}: ${list.warning}`);
      return [kind, list.entries] as const;
    }),
  );
  return { lists: { ...NO_LISTS, ...Object.fromEntries(fetched) }, warnings };
}

async function followPages(connection: Connection, method: string, member: string, timeout: number) {
  const entries: JsonObject[] = [];
  let bytes = 0;
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    const answer = await connection.request({ method, params, timeout });
    bytes += answer.bytes.length;
    if (bytes > MAX_BYTES) return { entries, warning: `more than ${MAX_BYTES} bytes; the rest is left out` };
    const result = resultOf(answer);
    const part = result[member];
    const room = MAX_ENTRIES - entries.length;
    const found = Array.isArray(part) ? part.filter(isObject) : [];
    entries.push(...found.slice(0, room));
    if (found.length > room)
      return { entries, warning: `more than ${MAX_ENTRIES} entries; the rest is left out` };
    const next = result['nextCursor'];
    // An empty cursor leads nowhere; some servers end their lists with one.
    if (typeof next !== 'string' || next === '') return { entries, warning: undefined };
    if (cursors.has(next)) return { entries, warning: 'the server repeats a cursor; the walk was stopped' };
    cursors.add(next);
    cursor = next;
  }
  return { entries, warning: `more than ${MAX_PAGES} pages; the rest is left out` };
}
