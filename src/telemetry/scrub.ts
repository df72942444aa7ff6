/** Takes the secrets that the gateway holds out of what it writes itself: logs, audit records, errors. */
import { compileNeedles } from './needles.ts';
import { secretForms } from './secret-forms.ts';

const MARK = '[secret]';
/** Shorter values are words that would be struck out of innocent text. */
const SHORTEST = 6;

/** Replaces each known secret, raw or encoded (see `secretForms`), by `[secret]`. */
export interface Scrubber {
  /** Any text. */
  text(text: string): string;
  /** One JSON value as text; what comes back is JSON too. Members are looked at by key and by string value. */
  json(text: string): string;
  /** Secrets that became known later; values under 6 characters are skipped. */
  add(values: Iterable<string>): void;
}

export function createScrubber(values: Iterable<string> = []): Scrubber {
  const forms = new Set<string>();
  let needles = compileNeedles([]);

  function add(more: Iterable<string>): void {
    for (const value of more)
      if (value.length >= SHORTEST) for (const form of secretForms(value)) forms.add(form);
    needles = compileNeedles(forms);
  }

  function text(original: string): string {
    let match = needles.find(original, 0);
    if (!match) return original;
    const kept: string[] = [];
    let from = 0;
    for (; match; match = needles.find(original, from)) {
      kept.push(original.slice(from, match.start));
      from = match.end;
    }
    return [...kept, original.slice(from)].join(MARK);
  }

  /** A match in JSON text may begin inside an escape, so the replacing is done on the strings it stands for. */
  const json = (original: string): string =>
    needles.find(original, 0) ? JSON.stringify(scrubValue(parseExact(original), text)) : original;

  add(values);
  return { text, json, add };
}

function scrubValue(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, text));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [text(key), scrubValue(member, text)]),
  );
}

// In every supported Node (V8 11.4); the compiler's library does not know them yet.
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const { isRawJSON, rawJSON } = JSON as unknown as {
  isRawJSON(value: unknown): boolean;
  rawJSON(text: string): unknown;
};

/** Keeps every number digit by digit. */
function parseExact(text: string): unknown {
  const keep: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source ? rawJSON(source) : value;
  return (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, keep);
}
