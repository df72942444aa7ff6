/** The scalar types of the configuration file, as zod schemas: durations, sizes, rates, addresses, ids. */
import { z } from 'zod';

const UNITS_OF_TIME: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const UNITS_OF_SIZE: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
/** Node's timers hold 31 bits of milliseconds; a longer one would fire at once. */
const LONGEST = 24 * 86_400_000;
const LARGEST = 1024 ** 3;

/** The JSON Schema side is the pattern; messages never quote the value, which may have come from a secret. */
function scalar<T>(
  title: string,
  pattern: string,
  expected: string,
  read: (groups: string[]) => T | undefined,
) {
  const form = new RegExp(pattern);
  return z
    .string({ error: ({ input }) => (input === undefined ? undefined : `expected ${expected}`) })
    .meta({ title, pattern })
    .transform((text, context): T => {
      const groups = form.exec(text);
      const value = groups === null ? undefined : read(groups);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: `expected ${expected}` });
      return z.NEVER;
    });
}

function within(amount: number, most: number): number | undefined {
  const rounded = Math.round(amount);
  return rounded >= 1 && rounded <= most ? rounded : undefined;
}

/** "30s", "250ms", "10m", "1h", "7d" → milliseconds, 1 ms to 24 days. */
export const duration = scalar(
  'duration',
  '^(\\d+(?:\\.\\d+)?)(ms|s|m|h|d)$',
  'a duration from 1ms to 24d, such as 250ms, 30s or 5m',
  ([, amount, unit = '']) => within(Number(amount) * (UNITS_OF_TIME[unit] ?? NaN), LONGEST),
);

/** "4MiB", "512KiB", "100B" → bytes, 1 B to 1 GiB. */
export const size = scalar(
  'size',
  '^(\\d+(?:\\.\\d+)?)(B|KiB|MiB|GiB)$',
  'a size from 1B to 1GiB, such as 4MiB or 512KiB',
  ([, amount, unit = '']) => within(Number(amount) * (UNITS_OF_SIZE[unit] ?? NaN), LARGEST),
);

export interface Rate {
  readonly count: number;
  /** Milliseconds. */
  readonly per: number;
}

/** "60/m", "10/s", "1000/h" → count per period. */
export const rate = scalar(
  'rate',
  '^([1-9]\\d{0,8})/(s|m|h|d)$',
  'a rate such as 60/m or 10/s',
  ([, count, unit = '']): Rate => ({ count: Number(count), per: UNITS_OF_TIME[unit] ?? NaN }),
);

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** "127.0.0.1:8080", "[::1]:8080", "localhost:0" → host and port. */
export const address = scalar(
  'address',
  '^(?:\\[([0-9A-Fa-f:.]+)\\]|([^:\\s\\[\\]/]+)):(\\d{1,5})$',
  'host:port, such as 127.0.0.1:8080 or [::1]:8080',
  ([, six, host, port]): Address | undefined =>
    Number(port) > 65_535 ? undefined : { host: six ?? host ?? '', port: Number(port) },
);

/** An upstream id: policies, limits and names are written with it. */
export const upstreamId = z
  .string()
  .regex(/^[a-z][a-z0-9-]*$/, 'an id is lower-case letters, digits and "-", starting with a letter');
