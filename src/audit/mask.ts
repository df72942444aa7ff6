/** What of a request's arguments goes into its record: nothing, names, or values with secrets and excess taken out. */
import type { Json, JsonObject } from '../model.ts';
import { isSecretName } from './secret-names.ts';

export type ArgumentsRule = 'none' | 'keys' | 'masked' | 'full';

export interface Masked {
  /** Absent: nothing is to be recorded. */
  readonly arguments?: Json;
  /** Paths whose values were replaced by `[masked]`. */
  readonly masked: readonly string[];
  /** Something was left out for its length, depth or amount. */
  readonly cut: boolean;
}

export interface MaskOptions {
  readonly rule: ArgumentsRule;
  /** Dotted paths that the policy wants masked, under every rule; `*` stands for any one key or index. */
  readonly paths: readonly string[];
  /** Takes out known secrets; used on texts before they are cut, as half a secret would not be found later. */
  readonly scrub: (text: string) => string;
}

/** Bounds of one record's arguments: characters of one text, of all together, and levels. */
const MAX_TEXT = 4 * 1024;
const MAX_TOTAL = 64 * 1024;
const MAX_DEPTH = 16;
/** Under the rule `keys`: how many names, and characters of each. */
const MAX_KEYS = 100;
const MAX_NAME = 256;
/** What a member costs even when it is empty. */
const PUNCTUATION = 4;

const MASK = '[masked]';
const CUT = '[cut]';
const NOTHING: Masked = { masked: [], cut: false };

type Rule = (value: JsonObject, options: MaskOptions) => Masked;

const RULES: Readonly<Record<ArgumentsRule, Rule>> = {
  none: () => NOTHING,
  keys: namesOnly,
  masked: (value, options) => new Walk(options, isSecretName).record(value),
  full: (value, options) => new Walk(options, () => false).record(value),
};

/** Never changes `value`; returns it as it is when nothing is to be taken out. */
export function maskArguments(value: JsonObject, options: MaskOptions): Masked {
  return RULES[options.rule](value, options);
}

/** `{ "path": "string", "edits": "array" }`: each name with the JSON type of its value. */
function namesOnly(value: JsonObject): Masked {
  const names = Object.keys(value);
  const recorded = names.slice(0, MAX_KEYS).map((name) => [name.slice(0, MAX_NAME), typeName(value[name])]);
  const cut = names.length > MAX_KEYS || names.some((name) => name.length > MAX_NAME);
  return { arguments: Object.fromEntries(recorded) as JsonObject, masked: [], cut };
}

function typeName(value: Json | undefined): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isNumber(value) ? 'number' : typeof value;
}

// In every supported Node (V8 11.4); the compiler's library does not know it yet. A raw number is one kept digit by digit.
const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): boolean };
const isNumber = (value: unknown): boolean => typeof value === 'number' || isRawJSON(value);

/** One pass over the arguments that copies only what it has to change. */
class Walk {
  readonly #patterns: readonly Pattern[];
  readonly #isSecret: (name: string) => boolean;
  readonly #scrub: (text: string) => string;
  readonly #path: string[] = [];
  readonly #masked: string[] = [];
  #left = MAX_TOTAL;
  #cut = false;

  constructor({ paths, scrub }: MaskOptions, isSecret: (name: string) => boolean) {
    this.#patterns = paths.flatMap(compilePath);
    this.#isSecret = isSecret;
    this.#scrub = scrub;
  }

  record(value: JsonObject): Masked {
    return { arguments: this.#visit(value), masked: this.#masked, cut: this.#cut };
  }

  #visit(value: Json): Json {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null || isRawJSON(value)) return this.#scalar(value);
    if (this.#path.length >= MAX_DEPTH) return this.#leaveOut();
    return Array.isArray(value) ? this.#list(value) : this.#object(value);
  }

  #list(list: Json[]): Json {
    let copy: Json[] | undefined;
    for (const [index, item] of list.entries()) {
      const kept = this.#member(String(index), item, false);
      if (kept !== item) copy ??= list.slice(0, index);
      copy?.push(kept);
      if (this.#left < 0) return this.#shortened(copy ?? list.slice(0, index + 1));
    }
    return copy ?? list;
  }

  #object(object: JsonObject): Json {
    let copy: [string, Json][] | undefined;
    for (const [index, key] of Object.keys(object).entries()) {
      const value = object[key]!;
      const name = this.#text(key);
      const kept = this.#member(key, value, this.#isSecret(key));
      if (kept !== value || name !== key) copy ??= Object.entries(object).slice(0, index);
      copy?.push([name, kept]);
      if (this.#left < 0)
        return this.#shortened(fromEntries(copy ?? Object.entries(object).slice(0, index + 1)));
    }
    return copy ? fromEntries(copy) : object;
  }

  #member(key: string, value: Json, secret: boolean): Json {
    this.#path.push(key);
    this.#left -= PUNCTUATION;
    const masked = secret || this.#patterns.some((fits) => fits(this.#path));
    if (masked) this.#noteMasked();
    const kept = masked ? MASK : this.#visit(value);
    this.#path.pop();
    return kept;
  }

  #noteMasked(): void {
    const path = this.#path.map((part) => this.#text(part)).join('.');
    this.#masked.push(path);
    this.#left -= path.length;
  }

  #text(text: string): string {
    this.#left -= Math.min(text.length, MAX_TEXT);
    if (text.length <= MAX_TEXT) return text;
    this.#cut = true;
    return `${this.#scrub(text).slice(0, MAX_TEXT)}…${CUT}`;
  }

  #scalar(value: Json): Json {
    this.#left -= 8;
    return value;
  }

  #leaveOut(): Json {
    this.#cut = true;
    return CUT;
  }

  #shortened<T>(value: T): T {
    this.#cut = true;
    return value;
  }
}

const fromEntries = (entries: readonly (readonly [string, Json])[]): JsonObject =>
  Object.fromEntries(entries);

type Pattern = (path: readonly string[]) => boolean;

const PREFIX = 'arguments.';

/** A policy sees the arguments as `input.arguments`, so a path may begin there; a key may hold dots itself. */
function compilePath(path: string): Pattern[] {
  const fits = exactly(path);
  return path.startsWith(PREFIX) ? [fits, exactly(path.slice(PREFIX.length))] : [fits];
}

function exactly(path: string): Pattern {
  const parts = path.split('.');
  return (at) =>
    (at.length === parts.length && parts.every((part, i) => part === '*' || part === at[i])) ||
    at.join('.') === path;
}
