/**
 * The Streamable HTTP transport, client side: one POST a message, answered as JSON or as a stream of events
 * (2025-11-25 and 2026-07-28, "Transports: Streamable HTTP"). On undici's dispatch interface: this is a hot edge.
 */
import type { Dispatcher, Pool } from 'undici';
import type { Slices } from '../protocol/slices.ts';
import { httpCredentials } from './credentials/schema.ts';
import { eventReader, readMessage } from './event-reader.ts';
import { HttpAnswer } from './http-answer.ts';
import { isUnreachable, reasonOf } from './http-failure.ts';
import { openPool } from './http-pool.ts';
import { keepOpen } from './keep-open.ts';
import type { Exchange, Link, LinkContext, LinkEvents, TransportKind } from './link.ts';
import { streamableHttpShape, type StreamableHttpPiece } from './streamable-http-schema.ts';

/** How long a server may take to hear that its session ends. */
const GOODBYE = 1_000;

export const streamableHttp: TransportKind<'streamable-http', typeof streamableHttpShape> = {
  type: 'streamable-http',
  shape: streamableHttpShape,
  toldBy: 'url',
  credentials: httpCredentials.describe('What the gateway sends to identify itself'),
  eras: ['modern', 'legacy'],
  open,
};

function open(piece: StreamableHttpPiece, context: LinkContext, events: LinkEvents): Promise<Link> {
  const url = new URL(piece.url);
  return Promise.resolve(createLink(openPool(url), url.pathname + url.search, context, events));
}

function createLink(pool: Pool, path: string, context: LinkContext, events: LinkEvents): Link {
  const base: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...context.credential.headers,
  };
  let session: string | undefined;
  const closed = new AbortController();

  const headersFor = (headers: Readonly<Record<string, string>>): Record<string, string> =>
    session === undefined ? { ...base, ...headers } : { ...base, ...headers, 'mcp-session-id': session };

  function exchange(request: Exchange): Promise<Slices> {
    return new Promise<Slices>((resolve, reject) => {
      const answer = new HttpAnswer(request, context, { resolve, reject }, session, (headers) => {
        const id = headers['mcp-session-id'];
        if (request.method === 'initialize' && typeof id === 'string') session = id;
      });
      pool.dispatch(
        { path, method: 'POST', headers: headersFor(request.headers), body: request.text },
        answer,
      );
    });
  }

  /** Whatever the server says to a notification is no concern of ours. */
  function post(text: string, headers: Readonly<Record<string, string>>): Promise<void> {
    return pool
      .request({ path, method: 'POST', headers: headersFor(headers), body: text })
      .then(({ body }) => body.dump())
      .catch((error: unknown) =>
        context.log.debug({ upstream: context.id, error: String(error) }, 'a notification was not delivered'),
      );
  }

  let streams = 0;

  /** The GET stream, once: list changes and the like. @returns whether to open it again when it has ended. */
  async function stream(headers: Readonly<Record<string, string>>): Promise<boolean> {
    try {
      const answer = await pool.request({
        path,
        method: 'GET',
        headers: { ...headersFor(headers), accept: 'text/event-stream' },
        signal: closed.signal,
      });
      if (answer.statusCode !== 200) return await noStream(answer);
      if (streams++ > 0) events.missed();
      const feed = eventReader(context.maxMessage, (text) => {
        const message = readMessage(text);
        if (message) events.message(message);
      });
      for await (const chunk of answer.body as AsyncIterable<Buffer>) feed(chunk);
    } catch (error) {
      if (!closed.signal.aborted && isUnreachable(error)) {
        events.closed(reasonOf(error));
        return false;
      }
    }
    return true;
  }

  /** Most servers without this stream say 405; one that has forgotten the session says so here first. */
  async function noStream({ statusCode, body }: Dispatcher.ResponseData): Promise<boolean> {
    await body.dump();
    if (session !== undefined && (statusCode === 404 || statusCode === 400))
      events.closed('the server no longer knows the session');
    return statusCode >= 500;
  }

  async function sayGoodbye(): Promise<void> {
    const { body } = await pool.request({
      path,
      method: 'DELETE',
      headers: headersFor({}),
      signal: AbortSignal.timeout(GOODBYE),
    });
    await body.dump();
  }

  return {
    cancelsByClosing: 'modern',
    exchange,
    post,
    listen: (headers) => void keepOpen(() => stream(headers), closed.signal),
    async close() {
      closed.abort();
      if (session !== undefined) await sayGoodbye().catch(() => undefined);
      await pool.destroy();
    },
  };
}
