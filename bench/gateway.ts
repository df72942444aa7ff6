/** The gateway under measurement: the shipped configuration around the benchmark's upstream, started and timed. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { isAbsolute, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { McpClient, type Endpoint } from './client.ts';
import { Connection } from './connection.ts';
import { freePorts, type Processes, type Started } from './processes.ts';

/** The members of gateway.yaml that are read or replaced here; all others are kept as shipped. */
interface Shipped {
  policy?: { paths?: string[]; mode?: string };
  rateLimits?: { match?: { upstream?: string } }[];
  audit?: { sinks?: { type: string; path?: string }[] };
  [member: string]: unknown;
}

/** What the shipped configuration has on, for the report. */
export interface SwitchedOn {
  readonly policies: readonly string[];
  readonly policyMode: string;
  readonly rateLimits: number;
}

/** One generated configuration in a folder of its own. */
export interface Setup {
  readonly folder: string;
  readonly config: string;
  readonly origin: string;
  readonly endpoint: Endpoint;
  /** Absolute path of the audit file. */
  readonly audit: string;
  readonly log: string;
  readonly on: SwitchedOn;
}

/** Milliseconds since the process was started. */
export interface StartTimes {
  readonly listening: number;
  readonly firstCall: number;
}

/** Name of the file below the parent folder to which every gateway's stderr goes. */
export const LOG = 'gateway.log';
export const TOOL_PREFIX = 'bench__';
const PATIENCE = 60_000;
const POLL = 3;
/** A rule that counts each of our calls and refuses none: the work of counting is measured, not the refusal. */
const UNREACHED = { limit: '1000000/s', burst: 1_000_000, match: { upstream: 'bench' } };
/** Members that belong to the shipped servers and callers. */
const REPLACED = new Set(['mcpServers', 'profiles', 'publicUrl', 'hosts', 'origins', 'state']);

function auditPath({ audit }: Shipped, folder: string): string {
  const sink = audit?.sinks?.find(({ type }) => type === 'file');
  if (sink?.path === undefined)
    throw new Error('gateway.yaml has no audit sink of type file: nothing could be checked');
  if (isAbsolute(sink.path))
    throw new Error('the audit file of gateway.yaml is absolute: the benchmark would write to it');
  return resolve(folder, sink.path);
}

/** The shipped configuration with our upstream, our key, and every rate limit counting our calls without refusing one. */
function adapted(shipped: Shipped, upstream: string, key: string, [listen, admin]: number[]): Shipped {
  const kept = Object.fromEntries(Object.entries(shipped).filter(([member]) => !REPLACED.has(member)));
  const sha256 = createHash('sha256').update(key).digest('hex');
  return {
    ...kept,
    listen: `127.0.0.1:${listen}`,
    admin: `127.0.0.1:${admin}`,
    upstreams: { bench: { url: upstream } },
    auth: { apiKeys: [{ id: 'bench', sha256, roles: ['admin'] }] },
    rateLimits: (shipped.rateLimits ?? []).map((rule) => Object.assign(rule, UNREACHED)),
  };
}

/** Writes a new configuration into a new folder below `parent`, the shipped policies beside it. */
export async function writeSetup(root: string, parent: string, upstream: string): Promise<Setup> {
  const folder = await mkdtemp(join(parent, 'gateway-'));
  const shipped = parse(await readFile(join(root, 'gateway.yaml'), 'utf8')) as Shipped;
  const policies = shipped.policy?.paths ?? ['./policies'];
  for (const path of policies) await cp(resolve(root, path), resolve(folder, path), { recursive: true });
  const key = randomBytes(24).toString('hex');
  const ports = await freePorts(2);
  const config = join(folder, 'gateway.yaml');
  const audit = auditPath(shipped, folder);
  await mkdir(resolve(audit, '..'), { recursive: true });
  await writeFile(config, stringify(adapted(shipped, upstream, key, ports)));
  const origin = `http://127.0.0.1:${ports[0]}`;
  return {
    folder,
    config,
    origin,
    endpoint: { url: `${origin}/mcp`, era: 'legacy', key },
    audit,
    log: join(parent, LOG),
    on: {
      policies,
      policyMode: shipped.policy?.mode ?? 'enforce',
      rateLimits: shipped.rateLimits?.length ?? 0,
    },
  };
}

/** Tries until it succeeds. Rejects with the last failure when the time is up, or when the process has ended. */
async function until<T>({ child }: Started, attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (child.exitCode !== null)
        throw new Error(`the gateway ended with code ${child.exitCode}`, { cause: error });
      if (performance.now() > deadline) throw error;
      await sleep(POLL);
    }
  }
}

async function accept(origin: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect').finally(() => socket.destroy());
}

async function callOnce(endpoint: Endpoint): Promise<void> {
  const client = await McpClient.open(endpoint);
  try {
    await client.call(`${TOOL_PREFIX}echo`, '{"text":"first call"}');
  } finally {
    await client.close();
  }
}

/** Starts the gateway and times it until it listens and until the first call succeeds. */
export async function startGateway(processes: Processes, root: string, setup: Setup) {
  // Everything that could be cached between starts lies in the setup's folder, so a new folder is a cold start.
  const env = { PATH: process.env['PATH'], HOME: setup.folder, TMPDIR: setup.folder };
  const begin = performance.now();
  const args = [join(root, 'bin/gatehouse.js'), 'serve', '--config', setup.config];
  const started = processes.start(args, { env, log: setup.log });
  started.child.stdout?.resume();
  await until(started, () => accept(setup.origin));
  const listening = performance.now() - begin;
  await until(started, () => callOnce(setup.endpoint));
  const times: StartTimes = { listening, firstCall: performance.now() - begin };
  return { ...started, times };
}

/** Waits until /readyz says 200 and the tool list has the benchmark's tool. */
export async function ready(gateway: Started, setup: Setup): Promise<void> {
  await until(gateway, async () => {
    const connection = await Connection.open(new URL(setup.origin));
    const { host } = new URL(setup.origin);
    const { status } = await connection.send(`GET /readyz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    connection.close();
    if (status !== 200) throw new Error(`/readyz of the gateway answers ${status}`);
  });
  const client = await McpClient.open(setup.endpoint);
  const names = await client.toolNames();
  await client.close();
  if (!names.includes(`${TOOL_PREFIX}echo`))
    throw new Error(`the gateway lists no ${TOOL_PREFIX}echo: ${names.join(', ')}`);
}
