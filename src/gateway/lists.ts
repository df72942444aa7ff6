/** The list methods: what all upstreams offer, less what this caller may not know of. */
import { GatewayError } from '../errors.ts';
import { METHODS } from '../protocol/methods.ts';
import type { Answer } from './answer.ts';
import type { Attempt } from './attempt.ts';
import { filterVisible } from './decide.ts';
import { limit } from './limit.ts';

/** Some clients read the first page only, so a page is long. */
const PAGE = 1_000;

export async function merged(attempt: Attempt): Promise<Answer> {
  limit(attempt);
  const { snapshot, call, record } = attempt;
  const { kind, member } = METHODS[call.method]!.list!;
  const digest = snapshot.catalog.digest[kind].slice(0, 16);
  const start = readCursor(call.params['cursor'], digest);
  const visible = await filterVisible(attempt, snapshot.catalog.entries[kind]);
  record.listed(visible.length);
  const page = visible.slice(start, start + PAGE);
  const next =
    start + PAGE < visible.length ? `,"nextCursor":${JSON.stringify(writeCursor(digest, start + PAGE))}` : '';
  const modern = call.era === 'modern' ? '"resultType":"complete","ttlMs":0,"cacheScope":"private",' : '';
  const value = `{${modern}"${member}":[${page.map(({ text }) => text).join(',')}]${next}}`;
  return { member: 'result', value, outcome: 'ok', status: 200 };
}

/** A cursor holds the digest of the list it was made for: a page of a list that has changed would skip or repeat entries. */
const writeCursor = (digest: string, start: number): string =>
  Buffer.from(`${digest}:${start}`).toString('base64url');

function readCursor(cursor: unknown, digest: string): number {
  if (cursor === undefined) return 0;
  const [of, start] =
    typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('latin1').split(':') : [];
  if (of === digest && /^\d{1,9}$/.test(start ?? '')) return Number(start);
  throw new GatewayError(
    'invalid_params',
    'The cursor is not valid, or the list has changed since: start again without one.',
  );
}
