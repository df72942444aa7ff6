/**
 * A session with one MCP server: the handshake of either era, then requests over its hop.
 *
 *   connect ─► initialize │ server/discover ─► Connection { server, request, watch, receive, close }
 */
import { GatewayError } from '../errors.ts';
import type { Era, JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import { parseLossless } from '../protocol/json.ts';
import { textOf, type Slices } from '../protocol/slices.ts';
import { isLegacyVersion, LEGACY_VERSIONS, META, metaOf, MODERN_VERSION } from '../protocol/versions.ts';
import { createHop, type Hop, type HopOptions, type UpstreamRequest } from './hop.ts';
import { LinkError, type Link, type LinkEvents } from './link.ts';

/** What the server said of itself in the handshake. */
export interface ServerFacts {
  readonly era: Era;
  readonly version: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions?: string;
}

export interface Connection {
  readonly server: ServerFacts;
  /** @throws LinkError, or GatewayError `timed_out`, or the reason of the signal. */
  request(request: UpstreamRequest): Promise<Slices>;
  /** Opens the stream for messages that belong to no request, and keeps it open. */
  watch(events: Pick<LinkEvents, 'closed' | 'missed'>): void;
  /** Modern servers: the resources whose updates are wanted, in place of those before. */
  follow(uris: readonly string[]): void;
  /** A message that came outside of any request's stream. @returns whether it belonged to a request of ours. */
  receive(message: JsonObject): boolean;
  /** Closes when the requests under way have ended: for a connection that another has replaced. */
  retire(): void;
  close(): Promise<void>;
}

/** How one server is greeted. */
export interface Handshake extends HopOptions {
  /** What is declared to a legacy server: what the caller of this connection answers. Default: nothing. */
  readonly capabilities?: JsonObject | undefined;
  /** Tried in this order. */
  readonly eras: readonly Era[];
  /** Milliseconds for each step. */
  readonly timeout: number;
}

/** Milliseconds for a server to take the level of its log; one that does not answer is used all the same. */
const LOG_PATIENCE = 2_000;

/** @throws LinkError with the reason when neither era gets an answer. */
export async function connect(link: Link, handshake: Handshake): Promise<Connection> {
  const hop = createHop(link, handshake);
  const failures: string[] = [];
  for (const era of handshake.eras) {
    const server = await GREETINGS[era](hop, handshake).catch((error: unknown) => {
      if (handshake.eras.length === 1 || !worthAnotherEra(error)) throw error;
      failures.push(error instanceof Error ? error.message : String(error));
      return undefined;
    });
    if (server)
      return {
        ...hop,
        server,
        request: (request) => hop.send(server.era, request),
        watch: (events) => hop.watch(server, events),
      };
  }
  throw new LinkError(
    'bad_answer',
    `the server answers neither initialize nor server/discover: ${[...new Set(failures)].join('; ')}`,
  );
}

const GREETINGS = { legacy: initialize, modern: discover };

/** Not to be reached, or refused for the credential: the other era would fare no better. */
function worthAnotherEra(error: unknown): boolean {
  if (error instanceof GatewayError) return true;
  return (
    error instanceof LinkError &&
    error.failure !== 'unsent' &&
    error.failure !== 'lost' &&
    error.status !== 401 &&
    error.status !== 403
  );
}

async function initialize(
  hop: Hop,
  { gateway, capabilities = {}, timeout }: Handshake,
): Promise<ServerFacts> {
  const params = { protocolVersion: LEGACY_VERSIONS[0], capabilities, clientInfo: gateway };
  const result = resultOf(await hop.send('legacy', { method: 'initialize', params, timeout }));
  const version = result['protocolVersion'];
  if (!isLegacyVersion(version))
    throw new LinkError('bad_answer', `initialize answered with protocol version ${JSON.stringify(version)}`);
  hop.version = version;
  // Awaited: over HTTP a request could overtake it, and some servers refuse what comes before it.
  await hop.post('notifications/initialized');
  const server = facts('legacy', version, result);
  if (isObject(server.capabilities['logging'])) await openLog(hop, timeout);
  return server;
}

/** Some servers say nothing until a level is set; which messages a client gets is decided on its side of the gateway. */
async function openLog(hop: Hop, timeout: number): Promise<void> {
  const request = {
    method: 'logging/setLevel',
    params: { level: 'debug' },
    timeout: Math.min(timeout, LOG_PATIENCE),
  };
  await hop.send('legacy', request).catch(() => undefined);
}

async function discover(hop: Hop, { timeout }: Handshake): Promise<ServerFacts> {
  const result = resultOf(await hop.send('modern', { method: 'server/discover', params: {}, timeout }));
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions) || !versions.includes(MODERN_VERSION))
    throw new LinkError('bad_answer', `server/discover does not offer ${MODERN_VERSION}`);
  return facts('modern', MODERN_VERSION, {
    ...result,
    serverInfo: metaOf(result)[META.serverInfo] ?? result['serverInfo'] ?? {},
  });
}

function facts(era: Era, version: string, result: JsonObject): ServerFacts {
  const { capabilities, serverInfo, instructions } = result;
  return {
    era,
    version,
    capabilities: isObject(capabilities) ? capabilities : {},
    serverInfo: isObject(serverInfo) ? serverInfo : {},
    ...(typeof instructions === 'string' ? { instructions } : {}),
  };
}

/** @throws LinkError `bad_answer` with the server's message when the answer is an error. */
export function resultOf(answer: Slices): JsonObject {
  const text = textOf(answer.bytes, answer.top.get('result'));
  const result = text === undefined ? undefined : parseLossless(text);
  if (isObject(result)) return result;
  throw new LinkError(
    'bad_answer',
    `answered ${textOf(answer.bytes, answer.top.get('error'))?.slice(0, 200) ?? 'no object'}`,
  );
}
