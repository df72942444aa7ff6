/**
 * OPA's sprintf: Go's fmt verbs over integers, floats and strings, everything else printed as a Rego value first.
 * Go's complaints inside the text (`%!d(string=x)`, `%!s(MISSING)`) are part of the answer; what is not covered here
 * throws, which fails the evaluation and so denies.
 */
import { exponential, fixed, general } from './float-text.ts';
import { printValue, quote, RegoNumber, type Value } from './values.ts';

interface Spec {
  readonly flags: ReadonlySet<string>;
  readonly width: number;
  readonly precision: number | undefined;
}

interface Argument {
  /** Go's type name, as it stands in complaints. */
  readonly type: string;
  readonly verbs: Readonly<Record<string, (spec: Spec) => string>>;
  /** Of a type that formats itself: it words its own complaints and sees every flag. */
  readonly complain?: (verb: string) => string;
}

const DIRECTIVE = /%([-+# 0]*)(\d*)(?:(\.)(?!$)(\d*))?(.)?/suy;
const PLAIN: Spec = { flags: new Set(), width: 0, precision: undefined };
/** Go's own limit on width and precision. */
const LARGEST = 1_000_000;

/** Formats as OPA does. Throws on argument indexes (`%[1]d`), `*`, `#` and the rare verbs %U, %O, %p, %w. */
export function sprintf(format: string, values: readonly Value[]): string {
  const args = values.map(argumentOf);
  let text = '';
  let used = 0;
  let at = 0;
  for (let next = format.indexOf('%'); next >= 0; next = format.indexOf('%', at)) {
    text += format.slice(at, next);
    const { spec, verb, end } = directive(format, next);
    at = end;
    if (verb === undefined) text += '%!(NOVERB)';
    else if (verb === '%') text += '%';
    else text += print(args[used++], verb, spec);
  }
  return text + format.slice(at) + extra(args.slice(used));
}

function directive(format: string, at: number): { spec: Spec; verb: string | undefined; end: number } {
  DIRECTIVE.lastIndex = at;
  const match = DIRECTIVE.exec(format);
  const [, flags = '', width = '', point, precision = '', verb] = match ?? [];
  if (verb !== undefined && '[*UOpw'.includes(verb)) throw new Error(`sprintf: %${verb} is not supported`);
  if (flags.includes('#')) throw new Error('sprintf: the flag # is not supported');
  const spec = {
    flags: new Set(flags),
    width: bounded(width),
    precision: point === undefined ? undefined : bounded(precision),
  };
  return { spec, verb, end: DIRECTIVE.lastIndex };
}

function bounded(digits: string): number {
  if (Number(digits) > LARGEST) throw new Error(`sprintf: ${digits} is too large for a width or precision`);
  return Number(digits);
}

function print(arg: Argument | undefined, verb: string, spec: Spec): string {
  if (arg === undefined) return `%!${verb}(MISSING)`;
  const format = Object.hasOwn(arg.verbs, verb) ? arg.verbs[verb] : undefined;
  if (format === undefined) return arg.complain?.(verb) ?? `%!${verb}(${complaint(arg, spec)})`;
  return format(verb === 'v' && arg.complain === undefined ? without(spec, '+') : spec);
}

/** `%+v` is about struct fields: the plus does not reach the value. */
function without(spec: Spec, flag: string): Spec {
  return spec.flags.has(flag)
    ? { ...spec, flags: new Set([...spec.flags].filter((each) => each !== flag)) }
    : spec;
}

function complaint(arg: Argument, spec: Spec): string {
  return `${arg.type}=${arg.verbs['v']?.(spec)}`;
}

function extra(args: readonly Argument[]): string {
  return args.length === 0 ? '' : `%!(EXTRA ${args.map((arg) => complaint(arg, PLAIN)).join(', ')})`;
}

/** OPA hands Go an int64, a big.Int or a float64 by how the number is written, else text. */
function argumentOf(value: Value): Argument {
  if (!(value instanceof RegoNumber)) return string(typeof value === 'string' ? value : printValue(value));
  if (/[.eE]/.test(value.text)) {
    const float = Number(value.text);
    return Number.isFinite(float) ? floating(float) : string(value.text);
  }
  const integer = BigInt(value.text);
  return BigInt.asIntN(64, integer) === integer ? int64(integer) : bigInteger(integer);
}

function string(text: string): Argument {
  const cut = (spec: Spec): string =>
    spec.precision === undefined ? text : Array.from(text).slice(0, spec.precision).join('');
  const shown = (spec: Spec): string => pad(cut(spec), spec);
  const hex = (spec: Spec): string => pad(hexBytes(text, spec), spec);
  return {
    type: 'string',
    verbs: {
      v: shown,
      s: shown,
      q: (spec) => pad(quoted(cut(spec), spec), spec),
      x: hex,
      X: (spec) => pad(hexBytes(text, spec).toUpperCase(), spec),
      T: (spec) => pad('string', spec),
    },
  };
}

function quoted(text: string, { flags }: Spec): string {
  if (flags.has('+')) throw new Error('sprintf: %+q is not supported');
  return quote(text);
}

function hexBytes(text: string, { flags, precision }: Spec): string {
  const bytes = Buffer.from(text).subarray(0, precision);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(flags.has(' ') ? ' ' : '');
}

function radix(integer: bigint, base: number, upper = false): (spec: Spec) => string {
  const digits = (integer < 0n ? -integer : integer).toString(base);
  return (spec) => padInteger(integer < 0n, upper ? digits.toUpperCase() : digits, spec);
}

function int64(integer: bigint): Argument {
  const decimal = radix(integer, 10);
  const char = String.fromCodePoint(isScalar(integer) ? Number(integer) : 0xfffd);
  return {
    type: 'int64',
    verbs: {
      v: decimal,
      d: decimal,
      b: radix(integer, 2),
      o: radix(integer, 8),
      x: radix(integer, 16),
      X: radix(integer, 16, true),
      c: (spec) => pad(char, spec),
      q: (spec) => pad(spec.flags.has('+') ? quoted(char, spec) : quote(char, "'"), spec),
      T: (spec) => pad('int64', spec),
    },
  };
}

function isScalar(integer: bigint): boolean {
  return integer >= 0n && integer <= 0x10ffffn && (integer < 0xd800n || integer > 0xdfffn);
}

/** Go's big.Int formats itself: it has `%s` and lacks `%c`. */
function bigInteger(integer: bigint): Argument {
  const decimal = radix(integer, 10);
  return {
    type: '*big.Int',
    verbs: {
      v: decimal,
      d: decimal,
      s: decimal,
      b: radix(integer, 2),
      o: radix(integer, 8),
      x: radix(integer, 16),
      X: radix(integer, 16, true),
      T: (spec) => pad('*big.Int', spec),
    },
    complain: (verb) => `%!${verb}(big.Int=${integer})`,
  };
}

function floating(float: number): Argument {
  const number = (text: (precision: number | undefined) => string) => (spec: Spec) =>
    padNumber(text(spec.precision), spec);
  const f = number((precision = 6) => fixed(float, precision));
  const g = number((precision) => general(float, precision));
  const unsupported = (verb: string) => (): never => {
    throw new Error(`sprintf: %${verb} of a fraction is not supported`);
  };
  return {
    type: 'float64',
    verbs: {
      v: g,
      g,
      G: number((precision) => general(float, precision).toUpperCase()),
      f,
      F: f,
      e: number((precision = 6) => exponential(float, precision)),
      E: number((precision = 6) => exponential(float, precision).toUpperCase()),
      b: unsupported('b'),
      x: unsupported('x'),
      X: unsupported('X'),
      T: (spec) => pad('float64', spec),
    },
  };
}

function pad(text: string, { flags, width }: Spec, filler = flags.has('0') ? '0' : ' '): string {
  const missing = width - Array.from(text).length;
  if (missing <= 0) return text;
  return flags.has('-') ? text + ' '.repeat(missing) : filler.repeat(missing) + text;
}

function signOf(negative: boolean, flags: ReadonlySet<string>): string {
  if (negative) return '-';
  return flags.has('+') ? '+' : flags.has(' ') ? ' ' : '';
}

function padInteger(negative: boolean, digits: string, spec: Spec): string {
  const { flags, width, precision } = spec;
  if (precision === 0 && digits === '0') return pad('', spec, ' ');
  const sign = signOf(negative, flags);
  const zeroFill = precision === undefined && flags.has('0') && !flags.has('-') ? width - sign.length : 0;
  return pad(sign + digits.padStart(precision ?? zeroFill, '0'), spec, ' ');
}

function padNumber(text: string, spec: Spec): string {
  const negative = text.startsWith('-');
  const sign = signOf(negative, spec.flags);
  const digits = negative ? text.slice(1) : text;
  const zeroFill = spec.flags.has('0') && !spec.flags.has('-') ? spec.width - sign.length : 0;
  return pad(sign + digits.padStart(zeroFill, '0'), spec, ' ');
}
