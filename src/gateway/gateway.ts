/**
 * The gateway between downstream and upstreams: keeps the upstreams running, holds the current snapshot, takes a new one
 * when a list changes, and tells whoever listens.
 */
import type { Call, Era, TargetKind } from '../model.ts';
import type { Log } from '../telemetry/log.ts';
import { startUpstream, type Upstream, type UpstreamStatus } from '../upstream/upstream.ts';
import type { Answer } from './answer.ts';
import { route } from './call.ts';
import { createParkingLot } from './conversation.ts';
import { createSeal } from './seal.ts';
import { createSubscriptions } from './subscriptions.ts';
import { takeSnapshot, type Parts, type Snapshot } from './snapshot.ts';

/** First lists wait this long for upstreams that are still starting; a slower one is announced when it comes. */
const FIRST_START = 5_000;
/** How long a client may take for one round of questions, and how many calls may wait for theirs. */
const ROUND_TIMEOUT = 600_000;
const MAX_PARKED = 1_000;
/** Changes of several upstreams within this time are told as one. */
const COALESCE = 100;

/** The lists a client can be told about: templates are announced as resources. */
export type ListKind = 'tools' | 'prompts' | 'resources';

const ANNOUNCED: Readonly<Record<TargetKind, ListKind>> = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  template: 'resources',
};

export interface Gateway {
  snapshot(): Snapshot;
  handle(call: Call, requestBytes: number): Promise<Answer>;
  /** Every upstream has been tried once. */
  ready(): boolean;
  status(): readonly UpstreamReport[];
  /** @returns the function that ends the subscription. */
  onListsChanged(listener: (kinds: ReadonlySet<ListKind>) => void): () => void;
  /** `subscriber` is the owner of a subscription in the legacy era, the id of the request in the modern one. */
  onResourceUpdated(listener: (subscriber: string, uri: string) => void): () => void;
  /** Ends the subscriptions of somebody who has gone. */
  forget(subscriber: string): void;
  onStateChanged(listener: (report: UpstreamReport) => void): () => void;
  close(): Promise<void>;
}

export interface UpstreamReport extends UpstreamStatus {
  readonly id: string;
  readonly title?: string | undefined;
  readonly transport: string;
  readonly entries: Readonly<Record<TargetKind, number>>;
}

export interface GatewayOptions extends Omit<
  Parts,
  'upstreams' | 'owners' | 'seal' | 'parking' | 'subscriptions'
> {
  readonly log: Log;
  readonly eras: { get(id: string): Era | undefined; set(id: string, era: Era): void };
}

export function startGateway(options: GatewayOptions): Gateway {
  const { config, log, metrics, eras } = options;
  const upstreams = new Map<string, Upstream>();
  const listListeners = new Set<(kinds: ReadonlySet<ListKind>) => void>();
  const stateListeners = new Set<(report: UpstreamReport) => void>();
  const updateListeners = new Set<(subscriber: string, uri: string) => void>();
  const parking = createParkingLot(MAX_PARKED, ROUND_TIMEOUT);
  const parts: Parts = {
    ...options,
    upstreams,
    owners: new Map(),
    seal: createSeal(ROUND_TIMEOUT),
    parking,
    subscriptions: createSubscriptions(upstreams, (subscriber, uri) => {
      for (const listener of updateListeners) listener(subscriber, uri);
    }),
  };
  const { subscriptions } = parts;
  const warned = new Set<string>();
  let current: Snapshot;
  let pending: NodeJS.Timeout | undefined;
  let ready = false;
  /** What is exposed now keeps its meaning. */
  let lasting = false;

  function retake(): void {
    pending = undefined;
    const before = current.catalog.digest;
    // While servers start, who came first is chance: names and URIs are given for good in the order of the configuration.
    current = takeSnapshot(lasting ? parts : { ...parts, owners: new Map() });
    if (lasting) warn(current.catalog.warnings);
    countEntries();
    const kinds = Object.entries(current.catalog.digest).filter(
      ([kind, digest]) => before[kind as TargetKind] !== digest,
    );
    if (kinds.length === 0) return;
    const announced = new Set(kinds.map(([kind]) => ANNOUNCED[kind as TargetKind]));
    for (const listener of listListeners) listener(announced);
  }

  function warn(warnings: readonly string[]): void {
    for (const warning of warnings) if (!warned.has(warning)) log.warn({}, warning);
    for (const warning of warnings) warned.add(warning);
  }

  function countEntries(): void {
    for (const upstream of upstreams.values())
      for (const [kind, count] of Object.entries(report(upstream).entries))
        metrics.catalogEntries(upstream.config.id, kind, count);
  }

  function stateChanged(id: string): void {
    const upstream = upstreams.get(id);
    if (!upstream) return;
    const status = upstream.status();
    metrics.upstreamUp(id, status.state === 'up');
    if (status.state === 'down') metrics.upstreamRestart(id);
    if (status.server) eras.set(id, status.server.era);
    for (const listener of stateListeners) listener(report(upstream));
  }

  for (const upstream of config.upstreams) {
    const started = startUpstream(upstream, {
      dir: config.dir,
      maxMessage: config.limits.result,
      log,
      gateway: options.identity,
      rememberedEra: eras.get(upstream.id),
      dropped: (reason) => metrics.droppedMessage(upstream.id, reason),
      updated: (uri) => subscriptions.updated(upstream.id, uri),
      // A state or list that changes while the upstreams are being started is read when all stand.
      changed(what) {
        if (what === 'state') return stateChanged(upstream.id);
        if (!ready) retake();
        else pending ??= setTimeout(retake, COALESCE);
      },
    });
    upstreams.set(upstream.id, started);
  }
  current = takeSnapshot({ ...parts, owners: new Map() });
  const settled = Promise.all([...upstreams.values()].map((upstream) => upstream.settled)).then(() => {
    ready = true;
  });
  const patience = settledOrLate(settled, FIRST_START).then(() => {
    lasting = true;
    if (pending === undefined) retake();
  });

  function report(upstream: Upstream): UpstreamReport {
    const { id, title, transport } = upstream.config;
    const count = (kind: TargetKind): number =>
      current.catalog.entries[kind].filter(({ target }) => target.upstream === id).length;
    const entries = {
      tool: count('tool'),
      resource: count('resource'),
      template: count('template'),
      prompt: count('prompt'),
    };
    return { id, title, transport, entries, ...upstream.status() };
  }

  return {
    snapshot: () => current,
    async handle(call, requestBytes) {
      if (!ready) await patience;
      return route(current, call, requestBytes);
    },
    ready: () => ready,
    status: () => [...upstreams.values()].map(report),
    onListsChanged: (listener) => subscribe(listListeners, listener),
    onResourceUpdated: (listener) => subscribe(updateListeners, listener),
    forget: subscriptions.end,
    onStateChanged: (listener) => subscribe(stateListeners, listener),
    async close() {
      clearTimeout(pending);
      parking.close();
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
      await options.policy.close();
      await options.audit.close();
    },
  };
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function settledOrLate(settled: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void settled.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
