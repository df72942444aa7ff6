/**
 * The load generator, a process of its own: calls one tool from a number of workers, each on its own connection, with
 * a text that is unique to the call and checked in the reply. Prints one JSON object.
 *
 *   node bench/load.ts --url http://127.0.0.1:9101/mcp --tool echo --concurrency 16 --seconds 2
 */
import { parseArgs } from 'node:util';
import type { Era } from '../src/model.ts';
import { McpClient, type Endpoint } from './client.ts';
import { median, percentile } from './statistics.ts';

/** What to do to an endpoint. */
export interface Load {
  /** Tool name as the endpoint lists it. */
  readonly tool: string;
  readonly concurrency: number;
  /** Length of the measured time; at most 60. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Calls in all, at most. */
  readonly calls: number;
  /** Length of the unique text. */
  readonly size: number;
  /** Least length of the text in the reply, for tools that do not echo. */
  readonly bytes: number;
  /** Start of every unique text: what the audit is searched for afterwards. */
  readonly tag: string;
}

/** What came of it. Times in milliseconds. */
export interface LoadResult {
  /** Measured calls that succeeded. */
  readonly calls: number;
  /** All calls that reached the endpoint, warm-up included. */
  readonly sent: number;
  readonly errors: number;
  readonly firstError?: string | undefined;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Some of the texts sent: the first and the last of every worker, and every thousandth between. */
  readonly samples: readonly string[];
}

const LONGEST = 60;
const MOST_CALLS = 2_000_000;
const MOST_WORKERS = 512;

/** Counts and times of one run, shared by its workers. */
interface Tally {
  sent: number;
  errors: number;
  firstError?: string;
  readonly latencies: number[];
  readonly samples: Set<string>;
}

async function callOnce(client: McpClient, { tool, bytes }: Load, text: string): Promise<void> {
  const args = `{"text":"${text}"}`;
  if (bytes > 0) return client.callLarge(tool, args, bytes);
  const reply = await client.call(tool, args);
  if (reply !== text)
    throw new Error(`${tool} answered another call: sent ${text}, got ${reply.slice(0, 100)}`);
}

/** One worker: calls until the deadline or the count is reached; an error ends it, because its connection is in doubt. */
async function work(client: McpClient, load: Load, deadline: number, texts: Iterator<string>, tally: Tally) {
  let text = '';
  while (performance.now() < deadline && tally.sent < load.calls) {
    text = texts.next().value as string;
    const index = tally.sent++;
    if (index < load.concurrency || index % 1000 === 0) tally.samples.add(text);
    const start = performance.now();
    try {
      await callOnce(client, load, text);
      tally.latencies.push(performance.now() - start);
    } catch (error) {
      tally.errors += 1;
      tally.firstError ??= (error as Error).message;
      return;
    }
  }
  if (text !== '') tally.samples.add(text);
}

function* uniqueTexts(prefix: string, size: number): Generator<string, never> {
  for (let call = 0; ; call++) yield `${prefix}-${call}-`.padEnd(size, 'x');
}

/** Runs a load against an endpoint. Rejects when no session can be opened; failed calls are counted in the result. */
export async function runLoad(endpoint: Endpoint, load: Load): Promise<LoadResult> {
  const clients = await Promise.all(Array.from({ length: load.concurrency }, () => McpClient.open(endpoint)));
  const run = `${load.tag}-${process.pid.toString(36)}`;
  const texts = clients.map((_, worker) => uniqueTexts(`${run}-${worker}`, load.size));
  const tally: Tally = { sent: 0, errors: 0, latencies: [], samples: new Set() };
  const phase = async (seconds: number) => {
    const deadline = performance.now() + seconds * 1000;
    await Promise.all(clients.map((client, worker) => work(client, load, deadline, texts[worker]!, tally)));
  };
  await phase(load.warmUpSeconds);
  tally.latencies.length = 0;
  const start = performance.now();
  await phase(load.seconds);
  const seconds = (performance.now() - start) / 1000;
  await Promise.allSettled(clients.map((client) => client.close()));
  return summary(tally, seconds);
}

function summary({ sent, errors, firstError, latencies, samples }: Tally, seconds: number): LoadResult {
  const calls = latencies.length;
  return {
    calls,
    sent,
    errors,
    firstError,
    seconds,
    perSecond: calls / seconds,
    p50: median(latencies),
    p99: percentile(latencies, 0.99),
    samples: [...samples],
  };
}

/** A whole or fractional number of an option, within bounds. */
function bounded(value: string, name: string, least: number, most: number): number {
  const number = Number(value);
  if (number >= least && number <= most) return number;
  throw new Error(`--${name} ${value}: expected a number from ${least} to ${most}`);
}

function eraOf(value: string): Era {
  if (value === 'legacy' || value === 'modern') return value;
  throw new Error(`--era ${value}: expected legacy or modern`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080/mcp' },
      era: { type: 'string', default: 'legacy' },
      tool: { type: 'string', default: 'echo' },
      concurrency: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '2' },
      'warm-up': { type: 'string', default: '0.2' },
      calls: { type: 'string', default: String(MOST_CALLS) },
      size: { type: 'string', default: '64' },
      bytes: { type: 'string', default: '0' },
      tag: { type: 'string', default: 'call' },
    },
  });
  // The key comes by the environment: arguments are visible to every user of the machine.
  const endpoint = { url: values.url, era: eraOf(values.era), key: process.env['BENCH_KEY'] };
  const result = await runLoad(endpoint, {
    tool: values.tool,
    concurrency: bounded(values.concurrency, 'concurrency', 1, MOST_WORKERS),
    seconds: bounded(values.seconds, 'seconds', 0, LONGEST),
    warmUpSeconds: bounded(values['warm-up'], 'warm-up', 0, LONGEST),
    calls: bounded(values.calls, 'calls', 1, MOST_CALLS),
    size: bounded(values.size, 'size', 1, 1_000_000),
    bytes: bounded(values.bytes, 'bytes', 0, 100_000_000),
    tag: values.tag,
  });
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

if (process.argv[1] === import.meta.filename) {
  main().catch((error: unknown) => {
    process.stderr.write(`load: ${(error as Error).message}\n`);
    process.exitCode = 1;
  });
}
