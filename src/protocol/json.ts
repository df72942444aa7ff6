/**
 * The one reading of a request: text in, value out, refused when two readers could understand it differently.
 *
 *   JSON.parse ─► inspect (depth, twin keys, numbers) ─► value            ordinary numbers
 *                                                    └─► lossless parse   a number that would not come out as it went in
 */
import { BACKSLASH, CLOSE, CLOSE_LIST, COLON, COMMA, MINUS, OPEN, OPEN_LIST, QUOTE } from './characters.ts';
import { GatewayError } from '../errors.ts';
import type { Json } from '../model.ts';
import { META } from './versions.ts';

// In every supported Node (V8 11.4); the compiler's library does not know it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): Json };

/** Does this number survive `JSON.parse` and `JSON.stringify`? 1e3, 1.0, -0 and 2^53+1 do not. */
const survives = (source: string): boolean => String(Number(source)) === source;

/** Stands before a number that was made a string for the parser; nobody outside can guess it. */
const MARK = `${crypto.randomUUID()} `;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const AFTER_KEY = /\s*:/y;
/** Deeper values could be parsed, but not written again: the stack would not do. The bound of whatever is read here or sliced. */
export const MAX_NESTING = 1_000;

/**
 * Parses JSON so that `JSON.stringify` gives every number back digit by digit (`JSON.rawJSON`). Not by `JSON.parse` with
 * source access: in Node 26 that was seen to read an escaped key wrong, once in some 100,000 texts.
 */
export function parseLossless(text: string): Json {
  const marked = markNumbers(text);
  const value = JSON.parse(marked) as Json;
  return marked === text ? value : unmark(value);
}

/** Puts each number that would not survive into a string. What is no JSON stays none: only whole, valid numbers are touched, and no keys. */
function markNumbers(text: string): string {
  let marked = '';
  let done = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i);
    else if (c === OPEN || c === OPEN_LIST) {
      if (++depth > MAX_NESTING) throw new SyntaxError(`nested more than ${MAX_NESTING} levels deep`);
    } else if (c === CLOSE || c === CLOSE_LIST) depth--;
    else if (isNumeric(c)) {
      const start = i;
      while (i + 1 < text.length && isNumeric(text.charCodeAt(i + 1))) i++;
      const source = text.slice(start, i + 1);
      if (survives(source) || !NUMBER.test(source) || isKey(text, i + 1)) continue;
      marked += `${text.slice(done, start)}"${MARK}${source}"`;
      done = i + 1;
    }
  }
  return done === 0 ? text : marked + text.slice(done);
}

function isKey(text: string, end: number): boolean {
  AFTER_KEY.lastIndex = end;
  return AFTER_KEY.test(text);
}

function unmark(value: Json): Json {
  if (typeof value === 'string') return value.startsWith(MARK) ? rawJSON(value.slice(MARK.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, member] of Object.entries(value)) {
    const kept = unmark(member);
    // Not by assignment: a member may be called `__proto__`.
    if (kept !== member)
      Object.defineProperty(value, key, {
        value: kept,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return value;
}

/**
 * Reads the body of a request.
 * @throws GatewayError `parse_error` when it is no JSON; `invalid_request` when it is nested too deeply, or when the
 * envelope, `params` or `_meta` has two keys that are equal or differ by case or look only, or one that only looks like a
 * member of the protocol: a server that ignores case would read what the policy did not see.
 */
export function readJson(text: string, maxDepth: number): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw new GatewayError('parse_error', 'The body is not valid JSON.');
  }
  return inspect(text, maxDepth) ? value : parseLossless(text);
}

/** The objects whose keys are watched, from the envelope down: the member that leads on, and what the protocol reads there. */
const WATCHED = [
  level('params', ['jsonrpc', 'id', 'method', 'params', 'result', 'error']),
  level('_meta', [
    ...['_meta', 'name', 'uri', 'ref', 'arguments', 'argument', 'context', 'cursor', 'level', 'task'],
    ...['protocolVersion', 'capabilities', 'clientInfo', 'requestId', 'progressToken', 'notifications'],
    ...['inputResponses', 'requestState'],
  ]),
  level(undefined, ['progressToken', ...Object.values(META)]),
];

interface Level {
  readonly leadsOn: string | undefined;
  /** Folded → the one spelling that is allowed. */
  readonly spelling: ReadonlyMap<string, string>;
}

function level(leadsOn: string | undefined, members: readonly string[]): Level {
  return { leadsOn, spelling: new Map(members.map((member) => [fold(member), member])) };
}

/**
 * One pass over text that is known to be JSON. `watched` is how many levels from the top the current object is on the
 * watched path; `seen` holds the keys of each such object.
 * @returns whether every number survives an ordinary parse.
 */
function inspect(text: string, maxDepth: number): boolean {
  const seen: Set<string>[] = [];
  let depth = 0;
  let expectKey = false;
  let watchNext = 0; // depth at which an opening brace starts the next watched object
  let ordinary = true;
  const lists: boolean[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) {
      const end = endOfString(text, i);
      if (expectKey && seen.length === depth) {
        const { leadsOn, spelling } = WATCHED[depth - 1]!;
        const key = readKey(text.slice(i, end + 1), seen[depth - 1]!, spelling);
        watchNext = key === leadsOn ? depth : -1;
      }
      i = end;
    } else if (c === OPEN || c === OPEN_LIST) {
      if (c === OPEN && depth === watchNext && seen.length === depth) seen.push(new Set());
      lists[depth++] = c === OPEN_LIST;
      if (depth > maxDepth)
        throw new GatewayError('invalid_request', `The body is nested more than ${maxDepth} levels deep.`);
      expectKey = c === OPEN;
    } else if (c === CLOSE || c === CLOSE_LIST) {
      depth--;
      if (seen.length > depth) seen.pop();
      watchNext = -1;
    } else if (c === COMMA) {
      expectKey = lists[depth - 1] === false;
    } else if (c === COLON) {
      expectKey = false;
    } else if (c === MINUS || (c >= 0x30 && c <= 0x39)) {
      const start = i;
      while (i + 1 < text.length && isNumeric(text.charCodeAt(i + 1))) i++;
      ordinary &&= isShortInteger(text, start, i) || survives(text.slice(start, i + 1));
    }
  }
  return ordinary;
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  for (let c = text.charCodeAt(i); c !== QUOTE && i < text.length; c = text.charCodeAt(++i))
    if (c === BACKSLASH) i++;
  return i;
}

const isNumeric = (c: number): boolean =>
  (c >= 0x30 && c <= 0x39) || c === 0x2e || c === 0x65 || c === 0x45 || c === 0x2b || c === MINUS;

function isShortInteger(text: string, start: number, end: number): boolean {
  if (end - start > 14 || text.charCodeAt(start) === MINUS) return false;
  for (let i = start; i <= end; i++) if (text.charCodeAt(i) < 0x30 || text.charCodeAt(i) > 0x39) return false;
  return true;
}

/** Compatibility form and lower case bring `Name`, long s and the Kelvin sign to one spelling. */
function fold(key: string): string {
  return key.normalize('NFKC').toLowerCase();
}

function readKey(quoted: string, seen: Set<string>, spelling: Level['spelling']): string {
  const key = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (key.includes('\0'))
    throw new GatewayError('invalid_request', 'A key of the request holds a NUL character.');
  const folded = fold(key);
  if (seen.has(folded))
    throw new GatewayError(
      'invalid_request',
      `The key ${JSON.stringify(key)} appears twice, or beside a twin that differs only by case.`,
    );
  seen.add(folded);
  const meant = spelling.get(folded) ?? key;
  if (meant !== key)
    throw new GatewayError(
      'invalid_request',
      `The key ${JSON.stringify(key)} is not ${JSON.stringify(meant)}, but some readers would take it for that.`,
    );
  return key;
}
