/** Interleaved rounds: every target is measured once a round, in rotating order, and compared within the round only. */
import { join } from 'node:path';
import type { Endpoint } from './client.ts';
import type { Load, LoadResult } from './load.ts';
import { cpuSeconds, residentBytes, type Processes } from './processes.ts';
import { median } from './statistics.ts';

/** One endpoint to measure, and the process whose time and memory count. */
export interface Target {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly prefix: string;
  readonly pid: number;
}

export interface Run extends LoadResult {
  /** Microseconds of CPU per call; undefined where there is no /proc. */
  readonly cpu: number | undefined;
  /** Resident bytes right after the load. */
  readonly memory: number | undefined;
}

/** The first target is the reference by which a disturbed round is known. */
export interface Scenario {
  readonly title: string;
  readonly targets: readonly Target[];
  readonly load: Load;
  readonly rounds: number;
}

export type Round = ReadonlyMap<string, Run>;

/** How far the reference may be from its median before a round is left out of the ratios. */
const DISTURBED = 0.25;

/** Measures one target once. Rejects when a single call failed: figures with failures in them mean nothing. */
async function measure(processes: Processes, target: Target, load: Load): Promise<Run> {
  const { url, era, key } = target.endpoint;
  const options = {
    url,
    era,
    tool: target.prefix + load.tool,
    concurrency: load.concurrency,
    seconds: load.seconds,
    'warm-up': load.warmUpSeconds,
    calls: load.calls,
    size: load.size,
    bytes: load.bytes,
    tag: load.tag,
  };
  const file = join(import.meta.dirname, 'load.ts');
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const before = cpuSeconds(target.pid);
  const output = await processes.output([file, ...args], { env: { ...process.env, BENCH_KEY: key } });
  const after = cpuSeconds(target.pid);
  const result = JSON.parse(output) as LoadResult;
  if (result.errors > 0)
    throw new Error(`${target.name}: ${result.errors} calls failed, the first: ${result.firstError}`);
  if (result.calls === 0) throw new Error(`${target.name}: no call ended within ${load.seconds} s`);
  const cpu =
    before === undefined || after === undefined ? undefined : ((after - before) * 1e6) / result.sent;
  return { ...result, cpu, memory: residentBytes(target.pid) };
}

const rotated = <T>(items: readonly T[], by: number): T[] => [
  ...items.slice(by % items.length),
  ...items.slice(0, by % items.length),
];

/** Runs a scenario's rounds, telling each run's figure as it comes. */
export async function runRounds(
  processes: Processes,
  scenario: Scenario,
  tell: (line: string) => void,
): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let index = 0; index < scenario.rounds; index++) {
    const round = new Map<string, Run>();
    for (const target of rotated(scenario.targets, index)) {
      const run = await measure(processes, target, scenario.load);
      round.set(target.name, run);
      tell(`${scenario.title}, round ${index + 1}: ${target.name} ${run.perSecond.toFixed(0)} calls/s`);
    }
    rounds.push(round);
  }
  return rounds;
}

/** The rounds in which the reference ran as it does in most of them. */
export function undisturbed(rounds: readonly Round[], reference: string): Round[] {
  const speed = (round: Round) => round.get(reference)?.perSecond ?? Number.NaN;
  const usual = median(rounds.map(speed));
  return rounds.filter((round) => Math.abs(speed(round) / usual - 1) <= DISTURBED);
}

type Figure = 'perSecond' | 'p50' | 'p99' | 'cpu' | 'memory';

/** The median of one figure of one target; NaN when it was not measured. */
export function medianOf(rounds: readonly Round[], target: string, figure: Figure): number {
  return median(rounds.map((round) => round.get(target)?.[figure] ?? Number.NaN));
}

/**
 * The median of the ratios of two targets' figures within each undisturbed round. Undefined when more than half of the
 * rounds were disturbed: a ratio of what is left would be luck.
 */
export function ratio(rounds: readonly Round[], reference: string, of: string, to: string, figure: Figure) {
  const kept = undisturbed(rounds, reference);
  if (kept.length * 2 <= rounds.length) return undefined;
  const value = (round: Round, target: string) => round.get(target)?.[figure] ?? Number.NaN;
  return median(kept.map((round) => value(round, of) / value(round, to)));
}
