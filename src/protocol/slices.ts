/**
 * Finds the members of a JSON-RPC message in its bytes, so that a result can be passed on without being parsed.
 * Brackets and strings are matched; what stands inside a value is left for its reader to judge.
 */
import { BACKSLASH, CLOSE, CLOSE_LIST, COLON, COMMA, OPEN, OPEN_LIST, QUOTE } from './characters.ts';
import { MAX_NESTING } from './json.ts';

/** `[start, end)` of a value in the bytes. */
export type Range = readonly [start: number, end: number];

export interface Slices {
  readonly bytes: Buffer;
  /** Members of the message: `jsonrpc`, `id`, `result`, … */
  readonly top: ReadonlyMap<string, Range>;
  /** Members of its `result`, when that is an object. */
  readonly result: ReadonlyMap<string, Range>;
}

const NONE: ReadonlyMap<string, Range> = new Map();

/** @returns undefined when the bytes are not one JSON object, name a member twice, or nest more than 1,000 levels deep. */
export function sliceMessage(bytes: Buffer): Slices | undefined {
  const start = skipSpace(bytes, 0);
  const top = new Map<string, Range>();
  let result: ReadonlyMap<string, Range> = NONE;
  const end = walkObject(bytes, start, top, (key, at) => {
    if (key !== 'result' || bytes[at] !== OPEN) return endOfValue(bytes, at);
    const members = new Map<string, Range>();
    result = members;
    return walkObject(bytes, at, members, (_key, from) => endOfValue(bytes, from));
  });
  return end < 0 || skipSpace(bytes, end) !== bytes.length ? undefined : { bytes, top, result };
}

/** The bytes of one member as text; undefined when it is absent. */
export function textOf(bytes: Buffer, range: Range | undefined): string | undefined {
  return range && bytes.toString('utf8', range[0], range[1]);
}

/** Walks `{ key: value, … }` from `start`; `walkValue` returns the end of the value at `at`. -1 = malformed. */
function walkObject(
  bytes: Buffer,
  start: number,
  into: Map<string, Range>,
  walkValue: (key: string, at: number) => number,
): number {
  if (bytes[start] !== OPEN) return -1;
  let i = skipSpace(bytes, start + 1);
  if (bytes[i] === CLOSE) return i + 1;
  for (;;) {
    if (bytes[i] !== QUOTE) return -1;
    const keyEnd = endOfString(bytes, i);
    if (keyEnd < 0) return -1;
    const key = keyText(bytes, i, keyEnd);
    i = skipSpace(bytes, keyEnd);
    if (key === undefined || into.has(key) || bytes[i] !== COLON) return -1;
    const at = skipSpace(bytes, i + 1);
    const end = walkValue(key, at);
    if (end <= at) return -1;
    into.set(key, [at, end]);
    i = skipSpace(bytes, end);
    if (bytes[i] === CLOSE) return i + 1;
    if (bytes[i] !== COMMA) return -1;
    i = skipSpace(bytes, i + 1);
  }
}

function keyText(bytes: Buffer, start: number, end: number): string | undefined {
  const raw = bytes.toString('utf8', start + 1, end - 1);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}

function skipSpace(bytes: Buffer, i: number): number {
  while (bytes[i] === 0x20 || bytes[i] === 0x0a || bytes[i] === 0x0d || bytes[i] === 0x09) i++;
  return i;
}

/** Index after the closing quote; -1 when there is none. Long strings are crossed by the native search. */
function endOfString(bytes: Buffer, start: number): number {
  let from = start + 1;
  for (;;) {
    let quote = from;
    const near = Math.min(bytes.length, from + 48);
    while (quote < near && bytes[quote] !== QUOTE) quote++;
    if (quote === near) quote = bytes.indexOf(QUOTE, near);
    if (quote < 0 || quote >= bytes.length) return -1;
    let escapes = 0;
    while (bytes[quote - 1 - escapes] === BACKSLASH && quote - 1 - escapes > start) escapes++;
    if (escapes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

function endOfValue(bytes: Buffer, start: number): number {
  const c = bytes[start];
  if (c === QUOTE) return endOfString(bytes, start);
  if (c === OPEN || c === OPEN_LIST) return endOfNested(bytes, start);
  let i = start;
  while (i < bytes.length && !isDelimiter(bytes[i]!)) i++;
  return i;
}

const isDelimiter = (c: number): boolean => c === COMMA || c === CLOSE || c === CLOSE_LIST || c <= 0x20;

/** Index after the bracket that closes the one at `start`; the kinds of brackets must match. */
function endOfNested(bytes: Buffer, start: number): number {
  const closers: number[] = [];
  for (let i = start; i < bytes.length; i++) {
    const c = bytes[i]!;
    if (c === QUOTE) {
      i = endOfString(bytes, i) - 1;
      if (i < 0) return -1;
    } else if (c === OPEN) closers.push(CLOSE);
    else if (c === OPEN_LIST) closers.push(CLOSE_LIST);
    else if (c === CLOSE || c === CLOSE_LIST) {
      if (closers.pop() !== c) return -1;
      if (closers.length === 0) return i + 1;
    }
    if (closers.length > MAX_NESTING) return -1;
  }
  return -1;
}
