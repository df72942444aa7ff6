/**
 * Rego values as host builtins see them: read from the module's own notation, compared and printed as OPA does.
 * JSON would not do, since it turns sets into arrays and rounds numbers.
 */

/** A number with its digits as written: `1`, `1.0` and `1e0` print differently. */
export class RegoNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export class RegoSet {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

export class RegoObject {
  readonly entries: readonly (readonly [Value, Value])[];
  constructor(entries: readonly (readonly [Value, Value])[]) {
    this.entries = entries;
  }
}

export type Value = null | boolean | string | RegoNumber | readonly Value[] | RegoSet | RegoObject;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: readonly (readonly [string, Value])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['set()', new RegoSet([])],
];

/** Reads the notation of the module's `opa_value_dump`. Throws SyntaxError on anything else. */
export function parseValue(text: string): Value {
  const reader = new Reader(text);
  const value = reader.value();
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Value {
    this.#space();
    const next = this.#text[this.#at];
    if (next === '"') return this.#string();
    if (next === '[') return this.#list(']', () => this.value());
    if (next === '{') return this.#braces();
    const word = WORDS.find(([spelling]) => this.#text.startsWith(spelling, this.#at));
    if (word === undefined) return this.#number();
    this.#at += word[0].length;
    return word[1];
  }

  end(): void {
    this.#space();
    if (this.#at !== this.#text.length) this.#fail();
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text[this.#at] !== '"') {
      if (this.#at >= this.#text.length) this.#fail();
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    }
    return JSON.parse(this.#text.slice(start, ++this.#at)) as string;
  }

  /** `{}` is the empty object, `{a: b}` an object, `{a, b}` a set; the first member tells. */
  #braces(): RegoSet | RegoObject {
    let keyed = true;
    const members = this.#list('}', (): [Value, Value] => {
      const key = this.value();
      keyed = this.#take(':');
      return [key, keyed ? this.value() : null];
    });
    return keyed ? new RegoObject(members) : new RegoSet(members.map(([item]) => item));
  }

  #list<T>(close: string, member: () => T): T[] {
    const members: T[] = [];
    this.#at++;
    if (this.#take(close)) return members;
    do members.push(member());
    while (this.#take(','));
    if (!this.#take(close)) this.#fail();
    return members;
  }

  #number(): RegoNumber {
    NUMBER.lastIndex = this.#at;
    const [digits] = NUMBER.exec(this.#text) ?? this.#fail();
    this.#at += digits.length;
    return new RegoNumber(digits);
  }

  #take(mark: string): boolean {
    this.#space();
    const there = this.#text[this.#at] === mark;
    if (there) this.#at++;
    return there;
  }

  #space(): void {
    while (this.#text[this.#at] === ' ') this.#at++;
  }

  #fail(): never {
    throw new SyntaxError(`not a Rego value at ${this.#at}: ${this.#text.slice(this.#at, this.#at + 20)}`);
  }
}

type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'set';
const ORDER: readonly Kind[] = ['null', 'boolean', 'number', 'string', 'array', 'object', 'set'];

function kindOf(value: Value): Kind {
  if (value === null) return 'null';
  if (value instanceof RegoNumber) return 'number';
  if (value instanceof RegoSet) return 'set';
  if (value instanceof RegoObject) return 'object';
  return typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'array';
}

type Comparison = (a: never, b: never) => number;
const COMPARISONS: Readonly<Record<Kind, Comparison>> = {
  null: () => 0,
  boolean: (a: boolean, b: boolean) => Number(a) - Number(b),
  number: compareNumbers,
  string: compareStrings,
  array: compareLists,
  set: (a: RegoSet, b: RegoSet) => compareLists(sorted(a.items), sorted(b.items)),
  object: (a: RegoObject, b: RegoObject) => compareLists(flat(a), flat(b)),
};

/** OPA's total order of values: negative, zero or positive. */
export function compareValues(a: Value, b: Value): number {
  const kind = kindOf(a);
  const byKind = ORDER.indexOf(kind) - ORDER.indexOf(kindOf(b));
  return byKind !== 0 ? byKind : COMPARISONS[kind](a as never, b as never);
}

function compareNumbers(a: RegoNumber, b: RegoNumber): number {
  const [left, right] = [integerOf(a), integerOf(b)];
  if (left === undefined || right === undefined) return Number(a.text) - Number(b.text);
  return left < right ? -1 : Number(left > right);
}

/** By code point, which is the order of UTF-8 bytes; JavaScript's own order is by UTF-16 unit. */
function compareStrings(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareLists(a: readonly Value[], b: readonly Value[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const order = compareValues(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function sorted(items: readonly Value[]): readonly Value[] {
  return items.toSorted(compareValues);
}

function sortedEntries(object: RegoObject): readonly (readonly [Value, Value])[] {
  return object.entries.toSorted(([a], [b]) => compareValues(a, b));
}

function flat(object: RegoObject): readonly Value[] {
  return sortedEntries(object).flat();
}

/** The integer a number is written as, or undefined when it has a fraction or an exponent. */
export function integerOf(number: RegoNumber): bigint | undefined {
  return /^-?\d+$/.test(number.text) ? BigInt(number.text) : undefined;
}

/** A value as OPA prints it in `%v`: sorted members, strings quoted as Go does. */
export function printValue(value: Value): string {
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (value instanceof RegoNumber) return value.text;
  if (value instanceof RegoObject) return `{${sortedEntries(value).map(printEntry).join(', ')}}`;
  if (!(value instanceof RegoSet)) return `[${value.map(printValue).join(', ')}]`;
  return value.items.length === 0 ? 'set()' : `{${sorted(value.items).map(printValue).join(', ')}}`;
}

function printEntry([key, value]: readonly [Value, Value]): string {
  return `${printValue(key)}: ${printValue(value)}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
const PRINTABLE = /^[ \p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

/** Go's strconv.Quote, with `mark` as the quotation mark. */
export function quote(text: string, mark = '"'): string {
  return mark + Array.from(text, (char) => (char === mark ? `\\${mark}` : escape(char))).join('') + mark;
}

function escape(char: string): string {
  const known = ESCAPES[char];
  if (known !== undefined) return known;
  if (PRINTABLE.test(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
