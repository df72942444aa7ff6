/** Float formatting as Go's strconv does it: exact decimals rounded half to even, shortest form, two exponent digits. */

const TWO = 2n;
const TEN = 10n;

/** |x| as an exact fraction of big integers. */
function fraction(x: number): readonly [bigint, bigint] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(x));
  const bits = view.getBigUint64(0);
  const field = Number(bits >> 52n);
  const mantissa = (bits & 0xfffffffffffffn) | (field === 0 ? 0n : 1n << 52n);
  const exponent = BigInt(Math.max(field, 1) - 1075);
  return exponent >= 0n ? [mantissa * TWO ** exponent, 1n] : [mantissa, TWO ** -exponent];
}

/** |x| · 10^power, rounded half to even. */
function scaled(x: number, power: number): bigint {
  const [over, under] = fraction(x);
  const [up, down] =
    power >= 0 ? [over * TEN ** BigInt(power), under] : [over, under * TEN ** BigInt(-power)];
  const whole = up / down;
  const twice = (up % down) * TWO;
  const roundUp = twice > down || (twice === down && whole % TWO === 1n);
  return whole + (roundUp ? 1n : 0n);
}

function sign(x: number): string {
  return x < 0 || Object.is(x, -0) ? '-' : '';
}

/** `%.{precision}f`. */
export function fixed(x: number, precision: number): string {
  const digits = scaled(x, precision)
    .toString()
    .padStart(precision + 1, '0');
  const point = digits.length - precision;
  return sign(x) + digits.slice(0, point) + (precision === 0 ? '' : `.${digits.slice(point)}`);
}

interface Digits {
  /** Significant digits without a point, the first not zero unless the number is. */
  readonly digits: string;
  /** Of the first digit: value = d.ddd · 10^exponent. */
  readonly exponent: number;
}

/** The shortest digits that read back as x. */
function shortest(x: number): Digits {
  const [mantissa = '0', exponent = '0'] = Math.abs(x).toExponential().split('e');
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) };
}

/** x to `count` significant digits. */
function significant(x: number, count: number): Digits {
  if (x === 0) return { digits: '0'.repeat(count), exponent: 0 };
  const { exponent } = shortest(x);
  const digits = scaled(x, count - 1 - exponent).toString();
  // 9.99 rounded to two digits is 10, one digit more than asked for.
  return digits.length > count
    ? { digits: digits.slice(0, count), exponent: exponent + 1 }
    : { digits, exponent };
}

function withExponent({ digits, exponent }: Digits): string {
  const fractionPart = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits[0]}${fractionPart}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function plain({ digits, exponent }: Digits): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const rest = digits.slice(exponent + 1);
  return rest === '' ? whole : `${whole}.${rest}`;
}

/** `%.{precision}e`. */
export function exponential(x: number, precision: number): string {
  return sign(x) + withExponent(significant(x, precision + 1));
}

/** `%g`, or `%.{precision}g`: whichever of the two forms is shorter by Go's rule. */
export function general(x: number, precision?: number): string {
  const count = precision === 0 ? 1 : precision;
  const exact = count === undefined ? shortest(x) : trimmed(significant(x, count));
  const limit = count === undefined ? 6 : limitFor(count, exact);
  const form = exact.exponent < -4 || exact.exponent >= limit ? withExponent : plain;
  return sign(x) + form(exact);
}

function trimmed({ digits, exponent }: Digits): Digits {
  return { digits: digits.replace(/(?!^)0+$/, ''), exponent };
}

/** With a precision, the exponent form starts at that many digits, but never for an integer whose digits all fit. */
function limitFor(count: number, { digits, exponent }: Digits): number {
  return count > digits.length && digits.length >= exponent + 1 ? digits.length : count;
}
