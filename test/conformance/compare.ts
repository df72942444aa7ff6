/** Direct and through the gateway, check by check: which differences there are, which are accepted, which lines are stale. */
import type { Results, Status, SuiteId } from './suites.ts';

/** What a suite is run through: the gateway in front of the fixture over one transport, in one era. */
export type Way = 'http legacy' | 'http both' | 'stdio legacy' | 'stdio modern';

/** One check that passes against the fixture itself, and not through the gateway. */
export interface Difference {
  readonly suite: SuiteId;
  readonly way: Way;
  readonly scenario: string;
  readonly check: string;
  readonly through: Status | 'MISSING';
}

/** Differences that are known: every suite × way × check of it must be one. */
export interface Accepted {
  readonly suites: readonly SuiteId[];
  readonly ways: readonly Way[];
  readonly scenario: string;
  readonly checks: readonly string[];
  readonly reason: string;
}

/** What passed directly and did not pass through. */
export function differences(suite: SuiteId, way: Way, direct: Results, through: Results): Difference[] {
  return [...direct].flatMap(([scenario, checks]) =>
    [...checks]
      .filter(([, status]) => status === 'SUCCESS')
      .map(([check]) => ({
        suite,
        way,
        scenario,
        check,
        through: through.get(scenario)?.get(check) ?? ('MISSING' as const),
      }))
      .filter((difference) => difference.through !== 'SUCCESS'),
  );
}

export type Line = Pick<Difference, 'suite' | 'way' | 'scenario' | 'check'>;

export const lineOf = ({ suite, way, scenario, check }: Line): string =>
  [suite, way, scenario, check].join(' | ');

/** One line for each check that an entry accepts. */
export function linesOf({ suites, ways, scenario, checks }: Accepted): string[] {
  return suites.flatMap((suite) =>
    ways.flatMap((way) => checks.map((check) => lineOf({ suite, way, scenario, check }))),
  );
}

export interface Verdict {
  readonly unexpected: readonly Difference[];
  /** Accepted lines that are no difference any more, among those that this run could have found. */
  readonly stale: readonly string[];
}

/** @param ran what was run: an entry for anything else is neither used nor stale. */
export function judge(
  found: readonly Difference[],
  accepted: readonly Accepted[],
  ran: (suite: SuiteId, way: Way) => boolean,
): Verdict {
  const known = new Set(accepted.flatMap(linesOf));
  const seen = new Set(found.map(lineOf));
  const expected = accepted.flatMap((entry) =>
    linesOf({
      ...entry,
      suites: entry.suites.filter((suite) => entry.ways.some((way) => ran(suite, way))),
      ways: entry.ways.filter((way) => entry.suites.some((suite) => ran(suite, way))),
    }),
  );
  return {
    unexpected: found.filter((difference) => !known.has(lineOf(difference))),
    stale: expected.filter((line) => !seen.has(line)),
  };
}
