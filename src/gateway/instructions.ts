/** What the servers tell models about themselves, as one text for one caller: labelled, bounded, of visible servers only. */
import type { UpstreamConfig } from '../config/config.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Attempt } from './attempt.ts';
import { filterVisible } from './decide.ts';
import type { Snapshot } from './snapshot.ts';

/** Bytes of one server's own words, and of the whole text. */
const EACH = 2 * 1024;
const ALL = 8 * 1024;
const CUT = ' [shortened]';

interface Part {
  readonly config: UpstreamConfig;
  readonly text: string;
}

/**
 * A server of which the caller may see nothing is not mentioned.
 * @throws GatewayError `overloaded` when the policy has no room to say what may be seen.
 */
export async function instructionsFor(attempt: Attempt): Promise<string | undefined> {
  const { snapshot } = attempt;
  const parts = [...snapshot.upstreams.values()].map(partOf).filter(({ text }) => text !== '');
  if (parts.length === 0) return undefined;
  const visible = await visibleUpstreams(
    attempt,
    parts.map(({ config }) => config.id),
  );
  const texts = parts.filter(({ config }) => visible.has(config.id)).map((part) => labelled(snapshot, part));
  return texts.length === 0 ? undefined : cut(texts.join('\n\n'), ALL);
}

/** The operator's words go before those of the server, and are not cut on their own. */
function partOf({ config, status }: Upstream): Part {
  const text = config.instructions ?? cut(status().server?.instructions ?? '', EACH);
  return { config, text: text.trim() };
}

async function visibleUpstreams(attempt: Attempt, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const entries = Object.values(attempt.snapshot.catalog.entries)
    .flat()
    .filter(({ target }) => ids.includes(target.upstream));
  const visible = await filterVisible(attempt, entries);
  return new Set(visible.map(({ target }) => target.upstream));
}

/** A gateway in front of one server under its own names says what that server says. */
function labelled({ upstreams }: Snapshot, { config: { id, prefix }, text }: Part): string {
  if (upstreams.size === 1 && prefix === '') return text;
  // A server must not speak under the label of another.
  return `[server ${id}]\n${text.replaceAll(/^\s*\[server /gim, '> $&')}`;
}

/** At most `bytes` of UTF-8, with no character in two. */
function cut(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  const kept = whole.subarray(0, bytes - CUT.length);
  // While more could follow, the decoder keeps back the start of a character.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept, { stream: true }) + CUT;
}
