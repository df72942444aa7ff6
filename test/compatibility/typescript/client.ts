/** The TypeScript SDKs as clients: reads targets from stdin, writes one JSON line for each feature tried. `client.ts v1 | v2-legacy | v2-modern` */
import { existsSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Feature, Line, Offer, Target } from '../plan.ts';
import type { Connect, Peer } from './peer.ts';
import { connectV1 } from './v1-peer.ts';
import { connectV2 } from './v2-peer.ts';

const PATIENCE = 3_000;
const KINDS: Readonly<Record<string, Connect>> = {
  v1: connectV1,
  'v2-legacy': connectV2('legacy'),
  'v2-modern': connectV2('modern'),
};

function check(result: unknown, expected = ''): void {
  const body = JSON.stringify(result);
  if ((result as { isError?: boolean }).isError || !body.includes(expected))
    throw new Error(`unexpected: ${body.slice(0, 300)}`);
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + PATIENCE; !condition(); await pause(10))
    if (performance.now() > end) throw new Error('nothing came in time');
}

type Try = (peer: Peer, offer: Offer, logged: readonly string[]) => Promise<void>;

const call: Try = async (peer, offer) => check(await peer.callTool(offer), offer.expect);

const TRIES: Readonly<Record<Feature, Try>> = {
  tools: async (peer, { name }) => check(await peer.listTools(), `"${name}"`),
  tool: call,
  unicode: call,
  elicitation: call,
  async progress(peer, offer) {
    let steps = 0;
    check(await peer.callTool(offer, { onprogress: () => void steps++ }), offer.expect);
    await until(() => steps >= offer.steps!);
  },
  async logging(peer, offer, logged) {
    await peer.openLog().catch(() => undefined); // not every server has it
    check(await peer.callTool(offer), offer.expect);
    await until(() => logged.some((text) => text.includes(offer.logged!)));
  },
  resource: async (peer, { uri, expect }) => check(await peer.readResource(uri!), expect),
  prompt: async (peer, { name, arguments: args, expect }) =>
    check(await peer.getPrompt(name!, args as Record<string, string>), expect),
  completion: async (peer, { name, argument, expect }) =>
    check(await peer.complete(name!, argument!), expect),
  async cancellation(peer, offer) {
    const abort = new AbortController();
    const file = String(offer.arguments!['file']);
    const ended = peer.callTool(offer, { signal: abort.signal }).catch(() => undefined);
    await until(() => existsSync(`${file}.started`));
    abort.abort();
    await ended;
    await until(() => existsSync(`${file}.cancelled`));
  },
};

function report(line: Line): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** @returns why it failed, or ''. */
async function failure(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return '';
  } catch (error) {
    return String(error).slice(0, 300);
  }
}

async function run(connect: Connect, target: Target): Promise<void> {
  const logged: string[] = [];
  let peer: Peer;
  try {
    peer = await connect(target, (text) => logged.push(text));
  } catch (error) {
    return report({ target: target.id, feature: 'connect', ok: false, detail: String(error).slice(0, 300) });
  }
  for (const [feature, offer] of Object.entries(target.offers) as [Feature, Offer][]) {
    const detail = await failure(TRIES[feature](peer, offer, logged));
    report({ target: target.id, feature, ok: detail === '', detail });
  }
  await failure(peer.close());
}

const connect = KINDS[process.argv[2] ?? '']!;
for (const target of (await json(process.stdin)) as Target[]) await run(connect, target);
process.exit(0);
