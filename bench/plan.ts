/** What is measured: tools, sizes and concurrencies, and how long and how often. */
import type { Load } from './load.ts';
import type { Scenario, Target } from './rounds.ts';

/** How much is measured. Seconds are per target and round. */
export interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly largeRounds: number;
  readonly starts: { readonly cold: number; readonly warm: number };
}

export const FULL: Plan = {
  rounds: 5,
  seconds: 2,
  warmUpSeconds: 0.3,
  largeRounds: 3,
  starts: { cold: 3, warm: 5 },
};
export const QUICK: Plan = {
  rounds: 3,
  seconds: 0.5,
  warmUpSeconds: 0.1,
  largeRounds: 1,
  starts: { cold: 1, warm: 1 },
};

const CONCURRENCIES = [1, 16, 64];
const LARGE = [
  { tool: 'blob', size: '100 KiB', bytes: 100 * 1024 },
  { tool: 'mega', size: '1 MiB', bytes: 1024 ** 2 },
];

/** Unmeasured seconds for each target at first, so that no round pays for a cold compiler. */
const FIRST_WARM_UP = 1;
/** The bound on calls where the time is the real one. */
const MOST_CALLS = 1_000_000;

/** What is compared in every scenario. */
export interface Bench {
  readonly direct: Target;
  readonly relay: Target;
  readonly gateway: Target;
}

/** The scenarios of a run, by the part of the report they belong to; the warm-up belongs to none. */
export function scenarios({ direct, relay, gateway }: Bench, plan: Plan, tag: string) {
  const { rounds, largeRounds, seconds, warmUpSeconds } = plan;
  const common = { calls: MOST_CALLS, size: 64, bytes: 0, seconds, warmUpSeconds, tag };
  const echo = (concurrency: number): Load => ({ ...common, tool: 'echo', concurrency });
  const targets = [direct, relay, gateway];
  const legacy = { ...gateway, name: 'legacy' };
  const modern = { ...gateway, name: 'modern', endpoint: { ...gateway.endpoint, era: 'modern' } } as const;
  return {
    warmUp: [{ title: 'Warm-up', targets, rounds: 1, load: { ...echo(16), seconds: FIRST_WARM_UP } }],
    echo: CONCURRENCIES.map((count) => ({
      title: `Concurrency ${count}`,
      targets,
      rounds,
      load: echo(count),
    })),
    large: LARGE.map(({ tool, size, bytes }) => ({
      title: `${size}, concurrency 4`,
      targets,
      rounds: largeRounds,
      load: { ...common, tool, bytes, concurrency: 4 },
    })),
    eras: [{ title: 'Concurrency 16, by era', targets: [legacy, modern], rounds, load: echo(16) }],
  } satisfies Record<string, Scenario[]>;
}
