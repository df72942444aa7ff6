/** bench/RESULTS.md: the figures of one run as tables, with the machine and what was switched on. */
import type { SwitchedOn } from './gateway.ts';
import { medianOf, ratio, undisturbed, type Round, type Scenario } from './rounds.ts';
import type { StartUp } from './start-up.ts';
import { median } from './statistics.ts';

export interface Measured {
  readonly scenario: Scenario;
  readonly rounds: readonly Round[];
}

export interface Results {
  readonly date: string;
  readonly machine: Readonly<Record<string, string>>;
  readonly on: SwitchedOn;
  readonly echo: readonly Measured[];
  readonly large: readonly Measured[];
  readonly eras: readonly Measured[];
  readonly startUp: StartUp;
  readonly audit: { readonly records: number; readonly sampled: number };
}

type Cells = readonly string[];

/** A Markdown table with the columns padded, the first to the left and the others to the right. */
export function table(head: Cells, rows: readonly Cells[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[column]!.length)),
  );
  const line = (cells: Cells) => {
    const padded = cells.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

const number = (value: number, digits: number) =>
  Number.isNaN(value) ? 'not measured' : value.toFixed(digits);
const mebibytes = (bytes: number) => number(bytes / 1024 ** 2, 0);
const share = (value: number | undefined) => (value === undefined ? 'disturbed' : number(value, 2));

/** One row a target: medians over all rounds, and its speed as a share of every earlier target's. */
function rowsOf({ scenario, rounds }: Measured): string[][] {
  const names = scenario.targets.map(({ name }) => name);
  const reference = names[0]!;
  const of = (name: string, to: string) => {
    const later = names.indexOf(name) > names.indexOf(to);
    return later ? share(ratio(rounds, reference, name, to, 'perSecond')) : '';
  };
  const figures = (name: string) => [
    name,
    number(medianOf(rounds, name, 'perSecond'), 0),
    number(medianOf(rounds, name, 'p50'), 2),
    number(medianOf(rounds, name, 'p99'), 2),
    number(medianOf(rounds, name, 'cpu'), 0),
    mebibytes(medianOf(rounds, name, 'memory')),
  ];
  return names.map((name) => figures(name).concat(names.slice(0, -1).map((to) => of(name, to))));
}

function section(measured: Measured): string {
  const { scenario, rounds } = measured;
  const names = scenario.targets.map(({ name }) => name);
  const shares = names.slice(0, -1).map((name) => `× ${name}`);
  const head = ['', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs/call', 'RSS MiB', ...shares];
  const kept = undisturbed(rounds, names[0]!).length;
  return [
    `### ${scenario.title}`,
    table(head, rowsOf(measured)),
    `Rounds: ${rounds.length}, of ${scenario.load.seconds} s each; undisturbed: ${kept}.`,
  ].join('\n\n');
}

function startUpTable({ cold, warm, idle }: StartUp): string {
  const row = (name: string, starts: StartUp['cold']) => [
    name,
    number(median(starts.map(({ listening }) => listening)), 0),
    number(median(starts.map(({ firstCall }) => firstCall)), 0),
    String(starts.length),
  ];
  return [
    table(
      ['', 'listening, ms', 'first call, ms', 'starts'],
      [row('cold (no cache)', cold), row('warm', warm)],
    ),
    `Idle, one second after the first call: ${mebibytes(median(idle.map((bytes) => bytes ?? Number.NaN)))} MiB resident.`,
  ].join('\n\n');
}

/** What was switched on in the gateway, as list items. */
function conditions({ on, audit }: Results): string {
  const items = [
    'Authentication by API key; one key, role `admin`, checked on every call.',
    `Policy in Rego, the shipped one (${on.policies.map((path) => `\`${path}\``).join(', ')}), mode ${on.policyMode}.`,
    `Rate limits, the shipped rules (${on.rateLimits}), each counting every call, with counts raised so far that none refuses one.`,
    `Audit to a file: ${audit.records} calls, ${audit.records} records; ${audit.sampled} sampled calls looked up, each with exactly one.`,
    'Metrics on the admin address, with the shipped settings.',
  ];
  return items.map((item) => `- ${item}`).join('\n');
}

const HOW = `\`direct\` is the load generator against the upstream server, \`relay\` the same through a bare Node relay (node:http and
undici; it parses the message, takes the prefix off the tool's name and forwards it; nothing else), \`gateway\` the same
through Gatehouse with everything on. All are measured once a round, in rotating order, on the loopback interface. Every
call carries a text of its own, which the reply must repeat. Figures are medians over the rounds. A share (\`×\`) is the
median of the ratios within a round; rounds in which \`direct\` was more than 25 % off its median are left out of it, and
none is given when that leaves half of them or fewer. CPU is that of the process in the row (for \`direct\`: the upstream),
user and system, all threads.`;

/** The whole page. */
export function report(results: Results): string {
  const machine = Object.entries(results.machine).map(([name, value]) => `- ${name}: ${value}`);
  return `${[
    '# Benchmark results',
    `Written by \`npm run bench\` on ${results.date}.`,
    machine.join('\n'),
    '## How',
    HOW,
    'Switched on in the gateway:',
    conditions(results),
    '## Small calls (64 bytes)',
    ...results.echo.map(section),
    '## Large results',
    ...results.large.map(section),
    '## Protocol eras',
    'The gateway alone: clients of either era in front of the same legacy upstream. Here `legacy` is what marks a disturbed round.',
    ...results.eras.map(section),
    '## Start-up',
    startUpTable(results.startUp),
  ].join('\n\n')}\n`;
}
