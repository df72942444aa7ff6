/**
 * The benchmark: what the gateway, with everything on, costs next to a direct connection and to a bare relay.
 *
 *   node bench/bench.ts [--quick] [--rounds N] [--json FILE]
 *
 *   load generator ─┬─ direct ───────────────────────┬─ upstream
 *                   ├─ relay (renames the tool) ─────┤
 *                   └─ gateway (shipped policy, …) ──┘
 *
 * Loopback only, bounded, no installation. A full run writes bench/RESULTS.md. Fails when a call fails, or when a call
 * that went through the gateway has no audit record.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkAudit, type AuditFinding } from './audit.ts';
import { LOG, ready, startGateway, TOOL_PREFIX, writeSetup } from './gateway.ts';
import { machine } from './machine.ts';
import { FULL, QUICK, scenarios, type Bench, type Plan } from './plan.ts';
import { Processes } from './processes.ts';
import { report, type Measured, type Results } from './report.ts';
import { runRounds, type Scenario } from './rounds.ts';
import { measureStartUp } from './start-up.ts';

const ROOT = join(import.meta.dirname, '..');
const RESULTS = join(import.meta.dirname, 'RESULTS.md');
const MOST_ROUNDS = 50;
const LOG_LINES = 20;

const tell = (line: string) => process.stdout.write(`${line}\n`);

/** Starts the three things that are measured, in this order because each needs the one before. */
async function startAll(processes: Processes, folder: string) {
  const upstream = await processes.server([join(import.meta.dirname, 'upstream.ts')]);
  const relay = await processes.server([join(import.meta.dirname, 'relay.ts'), upstream.origin]);
  const setup = await writeSetup(ROOT, folder, `${upstream.origin}/mcp`);
  const gateway = await startGateway(processes, ROOT, setup);
  await ready(gateway, setup);
  const legacy = (origin: string) => ({ url: `${origin}/mcp`, era: 'legacy' }) as const;
  const targets: Bench = {
    direct: { name: 'direct', endpoint: legacy(upstream.origin), prefix: '', pid: upstream.pid },
    relay: { name: 'relay', endpoint: legacy(relay.origin), prefix: TOOL_PREFIX, pid: relay.pid },
    gateway: { name: 'gateway', endpoint: setup.endpoint, prefix: TOOL_PREFIX, pid: gateway.pid },
  };
  return { upstream: `${upstream.origin}/mcp`, gateway, setup, targets };
}

/** Every call of these measurements that went through the gateway must be in its audit file. */
async function audited(file: string, tag: string, measured: readonly Measured[]): Promise<AuditFinding> {
  const runs = measured.flatMap(({ rounds }) => rounds.flatMap((round) => [...round]));
  const through = runs
    .filter(([name]) => name !== 'direct' && name !== 'relay')
    .map(([, figures]) => figures);
  const sent = through.reduce((sum, figures) => sum + figures.sent, 0);
  const samples = through.flatMap((figures) => figures.samples);
  const finding = await checkAudit(file, tag, sent, samples);
  if (finding.faults.length === 0) return finding;
  throw new Error(`the audit is not complete:\n  ${finding.faults.join('\n  ')}`);
}

async function run(processes: Processes, folder: string, plan: Plan): Promise<Results> {
  const facts = await machine(ROOT);
  const tag = `call${process.pid.toString(36)}${Date.now().toString(36)}`;
  const { upstream, gateway, setup, targets } = await startAll(processes, folder);
  const measure = async (list: readonly Scenario[]) => {
    const measured: Measured[] = [];
    for (const scenario of list) {
      measured.push({ scenario, rounds: await runRounds(processes, scenario, tell) });
    }
    return measured;
  };
  const planned = scenarios(targets, plan, tag);
  const warmUp = await measure(planned.warmUp);
  const echo = await measure(planned.echo);
  const large = await measure(planned.large);
  const eras = await measure(planned.eras);
  // The audit file is whole only once the gateway has ended.
  await processes.stop(gateway);
  const audit = await audited(setup.audit, tag, [...warmUp, ...echo, ...large, ...eras]);
  const startUp = await measureStartUp(processes, ROOT, folder, upstream, plan.starts);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: facts,
    on: setup.on,
    echo,
    large,
    eras,
    startUp,
    audit,
  };
}

function options(): { readonly plan: Plan; readonly write: boolean; readonly json: string | undefined } {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const plan = values.quick ? QUICK : FULL;
  const rounds = values.rounds === undefined ? plan.rounds : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MOST_ROUNDS) {
    throw new Error(`--rounds ${values.rounds}: expected a whole number from 1 to ${MOST_ROUNDS}`);
  }
  return { plan: { ...plan, rounds }, write: !values.quick, json: values.json };
}

/** The results as plain JSON: rounds as objects, without the sampled texts and the keys. */
function plain(results: Results): string {
  const replace = (name: string, value: unknown) => {
    if (name === 'samples' || name === 'endpoint') return undefined;
    return value instanceof Map ? Object.fromEntries(value) : value;
  };
  return `${JSON.stringify(results, replace, 2)}\n`;
}

/** The end of the gateway's log, for a run that failed. */
async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.trimEnd().split('\n').slice(-LOG_LINES);
  return text === '' ? '' : `The gateway's log ends so:\n${lines.join('\n')}\n`;
}

async function main(): Promise<void> {
  const { plan, write, json } = options();
  const processes = new Processes();
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const clean = async () => {
    await processes.stopAll();
    await rm(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void clean().finally(() => process.exit(130)));
  }
  try {
    const results = await run(processes, folder, plan);
    const page = report(results);
    if (json !== undefined) await writeFile(json, plain(results));
    if (write) await writeFile(RESULTS, page);
    tell(`\n${page}`);
  } catch (error) {
    process.stderr.write(await lastLines(join(folder, LOG)));
    throw error;
  } finally {
    await clean();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exitCode = 1;
});
