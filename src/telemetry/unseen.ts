/** Characters that JSON leaves as they are although they steer a terminal or reverse what is read: they get escaped too. */

/** Delete, the C1 controls (a second spelling of ESC sequences), line separators and the direction overrides of Unicode. */
const UNSEEN = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;
const ALL_UNSEEN = new RegExp(UNSEEN, 'g');

/** JSON text in, the same value as JSON text out. */
export function escapeUnseen(json: string): string {
  return UNSEEN.test(json) ? json.replaceAll(ALL_UNSEEN, escaped) : json;
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const ESCAPE = /\\(u[0-9a-f]{4}|.)/g;
/** Escapes that a reader of text expects to see undone. */
const READABLE: ReadonlySet<string> = new Set(['n', 't', '"', '\\']);

/** Doubles the escapes of control characters in JSON text, so that they are still escapes once the JSON has been read. */
export function doubleEscapes(json: string): string {
  return json.replaceAll(ESCAPE, (escape, letter: string) => (READABLE.has(letter) ? escape : `\\${escape}`));
}
