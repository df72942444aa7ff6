/** The outcome as text: a table for each suite, and the differences with their reasons. */
import { linesOf, lineOf, type Accepted, type Difference, type Way } from './compare.ts';
import { requiredScenarios, SUITES, type Results, type SuiteId } from './suites.ts';

/** One suite, run against the fixture itself and through the gateway. */
export interface SuiteRun {
  readonly suite: SuiteId;
  readonly direct: Results;
  readonly through: ReadonlyMap<Way, Results>;
  readonly differences: readonly Difference[];
}

/** Markdown: scenario by scenario, direct beside each way. A cell counts the checks that pass directly. */
export function tableOf({ suite, direct, through, differences }: SuiteRun): string {
  const ways = [...through.keys()];
  const required = requiredScenarios(suite);
  const rows = [...direct.keys()].toSorted().map((scenario) => {
    const checks = [...direct.get(scenario)!.values()].filter((status) => status !== 'INFO');
    const passed = checks.filter((status) => status === 'SUCCESS').length;
    const cells = ways.map((way) => cellOf(passed, scenario, way, differences));
    const name = required && !required.has(scenario) ? `${scenario} ¹` : scenario;
    return [name, `${passed}/${checks.length}`, ...cells];
  });
  return `### ${SUITES[suite].title}\n\n${markdown(['Scenario', 'Direct', ...ways], rows)}\n`;
}

function cellOf(passed: number, scenario: string, way: Way, differences: readonly Difference[]): string {
  const lost = differences.filter((one) => one.scenario === scenario && one.way === way).length;
  if (passed === 0) return '–';
  return lost === 0 ? 'same' : `**${passed - lost} of ${passed}**`;
}

/** Markdown: each accepted entry, with the ways and checks it stands for. */
export function acceptedTable(accepted: readonly Accepted[]): string {
  if (accepted.length === 0) return 'None.\n';
  const rows = accepted.map(({ suites, ways, scenario, checks, reason }) => [
    suites.join(', '),
    ways.join(', '),
    scenario,
    checks.join(', '),
    reason,
  ]);
  return `${markdown(['Suite', 'Upstream', 'Scenario', 'Checks', 'Reason'], rows)}\n`;
}

/** Plain lines, one for each difference, with the reason when it is accepted. */
export function differenceLines(found: readonly Difference[], accepted: readonly Accepted[]): string {
  const reasons = new Map(accepted.flatMap((entry) => linesOf(entry).map((line) => [line, entry.reason])));
  return found
    .map((one) => `${lineOf(one)}: ${one.through}, ${reasons.get(lineOf(one)) ?? 'NOT ACCEPTED'}\n`)
    .join('');
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
