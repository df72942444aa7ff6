/** OPA's time builtins over nanoseconds since the epoch, in UTC or an IANA time zone. */
import { RegoNumber, type Value } from './values.ts';

const NS_PER_MS = 1_000_000n;
const NS_PER_S = 1_000_000_000n;
/** Digits. */
const LONGEST_INT64 = 19;
/** As lenient as Go: an hour may have one digit, a comma may stand before the fraction. */
const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Nanoseconds since the epoch, or undefined when the text is no RFC 3339 time or out of the range of int64. */
export function parseRfc3339(text: string): bigint | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!real || hour > 23 || minute > 59 || second > 59 || offsetHour > 24 || offsetMinute > 60)
    return undefined;
  date.setUTCHours(hour, minute, second);
  const offset = BigInt(offsetHour * 3600 + offsetMinute * 60) * (match[8] === '-' ? -1n : 1n);
  const fraction = BigInt((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return int64(BigInt(date.getTime()) * NS_PER_MS - offset * NS_PER_S + fraction);
}

function int64(ns: bigint): bigint | undefined {
  return BigInt.asIntN(64, ns) === ns ? ns : undefined;
}

interface Moment {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly weekday: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The operand is a number of nanoseconds or [nanoseconds, zone, …]. Undefined when it is neither; throws on a zone
 * that cannot be told the same here and in OPA, so that a rule on it denies instead of passing on the wrong hour.
 */
export function momentOf(operand: Value): Moment | undefined {
  const [number, zone = ''] = Array.isArray(operand) ? (operand as readonly Value[]) : [operand];
  if (!(number instanceof RegoNumber) || typeof zone !== 'string') return undefined;
  const layout = Array.isArray(operand) ? (operand as readonly Value[])[2] : undefined;
  if (layout !== undefined && typeof layout !== 'string') return undefined;
  const ns = int64(wholeNumber(number) ?? 2n ** 64n);
  return ns === undefined ? undefined : inZone(ns, zone === '' ? 'UTC' : zone);
}

/** The number as an integer if it is one, however it is written: 1e9 and 1.0 are, 1.5 is not. */
function wholeNumber({ text }: RegoNumber): bigint | undefined {
  const [, digits = '', fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const scale = Number(exponent) - fraction.length;
  const all = BigInt(digits + fraction);
  if (scale >= 0) return scale > LONGEST_INT64 ? undefined : all * 10n ** BigInt(scale);
  const divisor = 10n ** BigInt(Math.min(-scale, digits.length + fraction.length));
  return all % divisor === 0n ? all / divisor : undefined;
}

function inZone(ns: bigint, zone: string): Moment {
  if (ns < 0n && zone !== 'UTC') throw new Error('local times before 1970 are not certain');
  const ms = (ns - (((ns % NS_PER_MS) + NS_PER_MS) % NS_PER_MS)) / NS_PER_MS;
  const parts = Object.fromEntries(
    formatFor(zone)
      .formatToParts(Number(ms))
      .map(({ type, value }) => [type, value]),
  );
  const number = (part: string): number => Number(parts[part]);
  return {
    year: number('year'),
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
    weekday: parts['weekday'] ?? '',
  };
}

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  if (!isExactName(zone)) throw new Error(`unknown time zone "${zone}"`);
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    weekday: 'long',
  });
  formats.set(zone, format);
  return format;
}

/** Intl ignores case and takes offsets; OPA's zone database does neither. */
function isExactName(zone: string): boolean {
  if (zone === 'UTC') return true;
  const twin = Intl.supportedValuesOf('timeZone').find((name) => name.toLowerCase() === zone.toLowerCase());
  return /^[A-Z]\w+\/[A-Z]/.test(zone) && (twin ?? zone) === zone;
}
