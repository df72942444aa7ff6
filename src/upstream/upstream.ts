/**
 * One MCP server as the gateway sees it: started, kept up, asked for its lists, and healed when it goes away.
 *
 *   starting ──► up ──► down ──(back-off)──► up …          closed ends it
 *                 ▲──► starting ──► (the session was lost: calls wait)
 */
import { GatewayError } from '../errors.ts';
import type { UpstreamConfig } from '../config/config.ts';
import type { Era, JsonObject } from '../model.ts';
import { SERVER_NOTIFICATIONS } from '../protocol/methods.ts';
import type { Slices } from '../protocol/slices.ts';
import { connect, type Connection, type ServerFacts } from './connection.ts';
import { eraOrder } from './eras.ts';
import { createFollowed, type Followed } from './followed.ts';
import type { UpstreamRequest } from './hop.ts';
import { coalesce } from './coalesce.ts';
import { credentialOf } from './credentials/credential.ts';
import { createLanes, type Lane } from './lanes.ts';
import { TRANSPORTS } from './kinds.ts';
import { LinkError, type Link, type LinkContext, type LinkEvents, type AnyTransport } from './link.ts';
import { fetchLists, NO_LISTS, type Lists } from './lists.ts';
import { PACE, type Pace } from './pace.ts';

/** Connections, for stdio processes, that callers who can be asked may have at once beside the common one. */
const MAX_LANES = 16;
const MAX_LANES_EACH = 4;

export interface UpstreamStatus {
  readonly state: 'starting' | 'up' | 'down' | 'closed';
  /** Why it is not up, or why it was gone last. */
  readonly reason?: string | undefined;
  /** RFC 3339 time of the last change of state. */
  readonly since: string;
  readonly restarts: number;
  readonly server?: ServerFacts | undefined;
}

export interface UpstreamContext extends Pick<LinkContext, 'dir' | 'maxMessage' | 'log' | 'dropped'> {
  /** How the gateway names itself (`Implementation`). */
  readonly gateway: JsonObject;
  /** The era this server had when last seen. */
  readonly rememberedEra?: Era | undefined;
  /** State or lists have changed. */
  readonly changed: (what: 'state' | 'lists') => void;
  /** A resource that is subscribed to has changed, or may have. */
  readonly updated?: (uri: string) => void;
  /** Other than the usual times; for tests. */
  readonly pace?: Partial<Pace>;
}

type AskingLane = NonNullable<UpstreamRequest['lane']>;

export interface Upstream {
  readonly config: UpstreamConfig;
  status(): UpstreamStatus;
  /** As last known; kept while the server is away. */
  lists(): Lists;
  /** Resolves when the first start has succeeded or failed. */
  readonly settled: Promise<void>;
  /**
   * Sends one request. Repeated once when the server had lost the session and so cannot have run it.
   * @throws GatewayError `upstream_unavailable`, `outcome_unknown`, `upstream_error`, `timed_out`; or the signal's reason.
   */
  request(request: UpstreamRequest): Promise<Slices>;
  readonly resources: Followed;
  close(): Promise<void>;
}

export function startUpstream(config: UpstreamConfig, context: UpstreamContext): Upstream {
  const transport: AnyTransport = TRANSPORTS[config.transport];
  const pace = { ...PACE, ...context.pace };
  let era: Era = context.rememberedEra ?? transport.eras[0];
  let status: UpstreamStatus = { state: 'starting', since: new Date().toISOString(), restarts: 0 };
  let connection: Connection | undefined;
  let connecting: Promise<Connection> | undefined;
  /** The link on which the handshake is under way. */
  let opening: Link | undefined;
  let lists = NO_LISTS;
  let failures = 0;
  let upSince = 0;
  let retry: NodeJS.Timeout | undefined;
  const lanes = createLanes({ max: MAX_LANES, each: MAX_LANES_EACH, idle: pace.laneIdle });
  const refetch = coalesce(reread, pace.refetch);
  const resources = createFollowed({
    request: (asked) => request(asked),
    connection: () => connection ?? healed(),
    timeout: config.timeout,
    updated: (uri) => context.updated?.(uri),
  });
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => (settle = resolve));

  function set(change: Partial<UpstreamStatus>): void {
    if (status.state === 'closed') return;
    status = { ...status, ...change, since: new Date().toISOString() };
    context.changed('state');
  }

  async function open(): Promise<Connection> {
    let current: Connection | undefined;
    let gone: string | undefined;
    const lost = (reason: string): void => {
      gone = reason;
      if (current !== undefined && current === connection) down(reason);
    };
    const receive = (message: JsonObject): void => {
      if (current?.receive(message) || resources.receive(message)) return;
      if (changesLists(message)) refetch.ask();
      else context.dropped('noise');
    };
    const link = await openLink({ message: receive, closed: lost, missed });
    opening = link;
    try {
      if (status.state === 'closed') throw new LinkError('unsent', 'closed by the gateway');
      current = await connect(link, {
        gateway: context.gateway,
        eras: eraOrder(era, transport.eras),
        timeout: pace.handshake,
        onMessage: receive,
      });
      lists = await readLists(current);
      if (gone !== undefined) throw new LinkError('lost', gone);
    } catch (error) {
      const closing = link.close();
      if (status.state === 'closed') await closing;
      throw error;
    } finally {
      opening = undefined;
    }
    connection = current;
    era = current.server.era;
    upSince = performance.now();
    current.watch({ closed: lost, missed });
    resources.restore(current);
    set({ state: 'up', server: current.server });
    context.changed('lists');
    return current;
  }

  /** Announcements may have been lost. */
  function missed(): void {
    refetch.ask();
    resources.missed();
  }

  const openLink = (events: LinkEvents): Promise<Link> =>
    transport.open(
      config,
      { ...context, id: config.id, credential: credentialOf(config.credentials) },
      events,
    );

  /** A connection for one caller that can be asked; the server is told what that caller answers. */
  async function openLane(capabilities: JsonObject): Promise<Connection> {
    let own: Connection | undefined;
    const receive = (message: JsonObject): void => {
      if (own?.receive(message)) return;
      if (changesLists(message)) refetch.ask();
      else context.dropped('noise');
    };
    const link = await openLink({ message: receive, closed: () => undefined, missed: () => undefined });
    try {
      own = await connect(link, {
        gateway: context.gateway,
        capabilities,
        exclusive: true,
        eras: eraOrder('legacy', transport.eras),
        timeout: pace.handshake,
        onMessage: receive,
      });
    } catch (error) {
      void link.close();
      throw error;
    }
    own.watch({ closed: () => undefined, missed: () => undefined });
    return own;
  }

  /** Nobody else's call runs on the lane, so that a question on it is of this call. A lane that died while it rested is replaced once. */
  async function requestOnLane(asked: UpstreamRequest, lane: AskingLane, again = true): Promise<Slices> {
    const key = `${lane.owner} ${JSON.stringify(lane.capabilities)}`;
    let taken: Lane | undefined;
    let broken = true;
    try {
      taken = await lanes.take(key, () => openLane(lane.capabilities), asked);
      const answer = await taken.connection.request(asked);
      broken = false;
      return answer;
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      const unseen = error.failure === 'unsent' || error.failure === 'session_lost';
      if (!again || !unseen || taken === undefined) throw failure(error);
    } finally {
      if (taken) lanes.release(taken, broken);
    }
    return requestOnLane(asked, lane, false);
  }

  async function readLists(from: Connection): Promise<Lists> {
    const fetched = await fetchLists(from, config.timeout, lists);
    for (const warning of fetched.warnings) context.log.warn({ upstream: config.id }, warning);
    return fetched.lists;
  }

  /** One attempt at a time, whoever asks. */
  function reconnect(): Promise<Connection> {
    connecting ??= open()
      .catch((error: unknown) => {
        down(error instanceof Error ? error.message : String(error));
        throw error;
      })
      .finally(() => {
        connecting = undefined;
        settle();
      });
    return connecting;
  }

  function down(reason: string): void {
    if (status.state === 'closed') return;
    if (connection && performance.now() - upSince > pace.stable) failures = 0;
    void connection?.close();
    connection = undefined;
    refetch.cancel();
    const ceiling = Math.min(pace.backoffLast, pace.backoffFirst * 2 ** failures++);
    const wait = ceiling * (0.5 + Math.random() / 2);
    context.log.warn({ upstream: config.id, reason, retryInMs: Math.round(wait) }, 'upstream is down');
    set({ state: 'down', reason, restarts: status.restarts + 1 });
    clearTimeout(retry);
    retry = setTimeout(() => void reconnect().catch(() => undefined), wait);
    retry.unref();
  }

  /** A change of the lists was announced. */
  async function reread(): Promise<void> {
    const asked = connection;
    if (!asked) return;
    try {
      const read = await readLists(asked);
      if (connection !== asked) return;
      lists = read;
      context.changed('lists');
    } catch (error) {
      context.log.warn({ upstream: config.id, error: String(error) }, 'the changed lists could not be read');
    }
  }

  async function request(asked: UpstreamRequest): Promise<Slices> {
    const current = connection ?? (await healed());
    if (asked.lane && asked.ask && current.server.era === 'legacy' && config.instances !== 'shared')
      return requestOnLane(asked, asked.lane);
    try {
      return await current.request(asked);
    } catch (error) {
      if (!(error instanceof LinkError && error.failure === 'session_lost')) throw describe(error, current);
      const fresh = await replace(current);
      return await fresh.request(asked).catch((second: unknown) => {
        throw describe(second, fresh);
      });
    }
  }

  /** Another session for one that the server has forgotten; whoever notices later takes the one that is there. */
  function replace(forgotten: Connection): Connection | Promise<Connection> {
    if (connection !== forgotten) return connection ?? healed();
    const reason = 'the server no longer knows the session';
    context.log.info({ upstream: config.id }, `${reason}; connecting again`);
    connection = undefined;
    forgotten.retire();
    set({ state: 'starting', reason });
    void reconnect().catch(() => undefined);
    return healed();
  }

  /** Waits while the session is renewed. @throws GatewayError `upstream_unavailable` when the upstream is away otherwise. */
  async function healed(): Promise<Connection> {
    const renewed = status.state === 'starting' ? await connecting?.catch(() => undefined) : undefined;
    if (renewed) return renewed;
    throw new GatewayError(
      'upstream_unavailable',
      `The server "${config.id}" is not available: ${status.reason ?? 'it is still starting'}.`,
      { upstream: config.id, retryAfter: 2 },
    );
  }

  function describe(error: unknown, from: Connection): unknown {
    if (!(error instanceof LinkError)) return error;
    if (error.failure === 'unsent' && from === connection) down(error.message);
    return failure(error);
  }

  function failure(error: LinkError): GatewayError {
    const [code, text] = FAILURES[error.failure];
    return new GatewayError(code, `The server "${config.id}" ${text}: ${error.message}.`, {
      upstream: config.id,
      cause: error,
    });
  }

  void reconnect().catch(() => undefined);
  return {
    config,
    status: () => status,
    lists: () => lists,
    settled,
    request,
    resources,
    async close() {
      set({ state: 'closed' });
      clearTimeout(retry);
      refetch.cancel();
      // Else a server that does not answer would keep the gateway from ending.
      await Promise.all([opening?.close(), lanes.close()]);
      const last = connection ?? (await connecting?.catch(() => undefined));
      connection = undefined;
      await last?.close();
    },
  };
}

const changesLists = ({ method }: JsonObject): boolean =>
  typeof method === 'string' && SERVER_NOTIFICATIONS[method]?.rule === 'merged';

const FAILURES = {
  unsent: ['upstream_unavailable', 'is not available'],
  session_lost: ['upstream_unavailable', 'lost the session'],
  lost: ['outcome_unknown', 'went away before it answered; whether the request was carried out is not known'],
  bad_answer: ['upstream_error', 'gave no usable answer'],
} as const;
