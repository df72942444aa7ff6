/**
 * The HTTP+SSE transport of the first revision, client side: one lasting stream brings everything, its first event says
 * where messages are posted (2024-11-05, "Transports: HTTP with SSE").
 *
 *   GET url ──► event `endpoint`, then every message          POST endpoint ──► 202; the answer comes on the stream
 */
import type { Pool } from 'undici';
import { sliceMessage } from '../protocol/slices.ts';
import { httpCredentials } from './credentials/schema.ts';
import { eventReader, readMessage } from './event-reader.ts';
import { isUnreachable, reasonOf, refusal } from './http-failure.ts';
import { openPool } from './http-pool.ts';
import {
  LinkError,
  type Exchange,
  type Link,
  type LinkContext,
  type LinkEvents,
  type TransportKind,
} from './link.ts';
import { createPending } from './pending.ts';
import { serverUrl } from './streamable-http-schema.ts';

/** How much of an error page is read for its reason. */
const ERROR_BODY = 4 * 1024;

const shape = {
  url: serverUrl.describe(
    'Where the server opens its stream of events; the endpoint it names is resolved against this, and must be of the same origin',
  ),
};

export const sse: TransportKind<'sse', typeof shape> = {
  type: 'sse',
  shape,
  credentials: httpCredentials.describe('What the gateway sends to identify itself'),
  eras: ['legacy'],
  open: ({ url }, context, events) => Promise.resolve(createLink(new URL(url), context, events)),
};

/** The stream is opened at once; requests wait for its first event, within their own deadlines. */
function createLink(url: URL, context: LinkContext, events: LinkEvents): Link {
  const pool = openPool(url);
  const pending = createPending(context.dropped);
  const closed = new AbortController();
  const endpoint = Promise.withResolvers<string>();
  endpoint.promise.catch(() => undefined);
  let known = false;
  let gone: LinkError | undefined;

  function end(error: LinkError): void {
    if (gone) return;
    gone = error;
    closed.abort();
    endpoint.reject(error);
    pending.end(error);
    events.closed(error.message);
  }

  function receive(text: string, event: string): void {
    if (event === 'endpoint') return learn(text);
    const message = event === 'message' ? sliceMessage(Buffer.from(text, 'utf8')) : undefined;
    if (!message) return context.dropped('noise');
    if (!message.top.has('method')) return pending.answer(message);
    const parsed = readMessage(text);
    if (parsed) events.message(parsed);
  }

  /** The first one counts: a later one could send what is meant for this server elsewhere. */
  function learn(text: string): void {
    if (known) return context.dropped('noise');
    endpoint.resolve(endpointOf(text, url));
    known = true;
  }

  async function stream(): Promise<void> {
    try {
      await readStream(pool, url, { context, signal: closed.signal, receive });
      throw new Error('the server ended the stream');
    } catch (error) {
      end(failureOf(error, known ? 'lost' : 'bad_answer'));
    }
  }

  async function send(text: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal) {
    const { statusCode, body } = await pool.request({
      path: await endpoint.promise,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', ...context.credential.headers },
      body: text,
      signal: signal ? AbortSignal.any([signal, closed.signal]) : closed.signal,
    });
    if (statusCode >= 200 && statusCode < 300) return body.dump();
    throw refusal(statusCode, await beginning(body));
  }

  void stream();
  return {
    exchange({ id, text, headers, signal }: Exchange) {
      if (gone) return Promise.reject(new LinkError('unsent', gone.message));
      const answer = pending.wait(id, signal);
      send(text, headers, signal).catch((error: unknown) => pending.fail(id, failureOf(error, 'lost')));
      return answer;
    },
    /** Whatever the server says to a notification is no concern of ours. */
    post: (text, headers) =>
      send(text, headers).catch((error: unknown) =>
        context.log.debug({ upstream: context.id, error: String(error) }, 'a notification was not delivered'),
      ),
    async close() {
      gone ??= new LinkError('lost', 'closed by the gateway');
      closed.abort();
      endpoint.reject(gone);
      pending.end(gone);
      await pool.destroy();
    },
  };
}

interface Reading {
  readonly context: LinkContext;
  readonly signal: AbortSignal;
  readonly receive: (text: string, event: string) => void;
}

/** Resolves when the server has ended the stream. */
async function readStream(pool: Pool, url: URL, { context, signal, receive }: Reading): Promise<void> {
  const { statusCode, headers, body } = await pool.request({
    path: url.pathname + url.search,
    method: 'GET',
    headers: { accept: 'text/event-stream', ...context.credential.headers },
    signal,
  });
  if (statusCode === 401 || statusCode === 403) throw refusal(statusCode, await beginning(body));
  if (statusCode !== 200 || !/^text\/event-stream\b/i.test(String(headers['content-type'])))
    throw new LinkError(
      'bad_answer',
      `HTTP ${statusCode} without a stream of events; a server that speaks Streamable HTTP needs no "transport: sse"`,
    );
  const feed = eventReader(context.maxMessage, receive);
  for await (const chunk of body as AsyncIterable<Buffer>) feed(chunk);
}

/** Resolved like a link in a page: against the URL of the stream. @throws LinkError when it leads to another origin. */
export function endpointOf(text: string, stream: URL): string {
  const endpoint = URL.canParse(text, stream.href) ? new URL(text, stream) : undefined;
  if (endpoint?.origin === stream.origin) return endpoint.pathname + endpoint.search;
  const what = endpoint ? `the origin ${endpoint.origin}` : 'no URL';
  throw new LinkError(
    'bad_answer',
    `the event "endpoint" names ${what}; messages are only sent to ${stream.origin}`,
  );
}

async function beginning(body: AsyncIterable<Buffer> & { dump(): Promise<void> }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= ERROR_BODY) break;
  }
  return Buffer.concat(chunks);
}

function failureOf(error: unknown, otherwise: 'lost' | 'bad_answer'): LinkError {
  if (error instanceof LinkError) return error;
  return new LinkError(isUnreachable(error) ? 'unsent' : otherwise, reasonOf(error), { cause: error });
}
