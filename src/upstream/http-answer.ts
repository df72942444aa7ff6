/** The answer to one POST, as undici's dispatch hands it over: JSON in one piece, or a stream of events that holds it. */
import type { Dispatcher } from 'undici';
import { sliceMessage, textOf, type Slices } from '../protocol/slices.ts';
import { answeredId, faultOf } from './answer.ts';
import { eventReader, readMessage } from './event-reader.ts';
import { isSessionLost, isUnreachable, reasonOf, refusal } from './http-failure.ts';
import { LinkError, type Exchange, type LinkContext } from './link.ts';

/** How much of an error page is read for its reason. */
const ERROR_BODY = 4 * 1024;
/** A server that leaves the stream open after its answer holds the connection this long; one that ends it gives it back. */
const LINGER = 1_000;

type Headers = Record<string, string | string[] | undefined>;

interface Settle {
  readonly resolve: (answer: Slices) => void;
  readonly reject: (error: Error) => void;
}

/** Reads the answer to one POST. Each method is one event of undici's dispatch. */
export class HttpAnswer implements Dispatcher.DispatchHandler {
  readonly #request: Exchange;
  readonly #context: LinkContext;
  readonly #settle: Settle;
  readonly #session: string | undefined;
  readonly #onHeaders: (headers: Headers) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #first: Buffer | undefined;
  #rest: Buffer[] | undefined;
  #length = 0;
  #feed: ((chunk: Buffer) => void) | undefined;
  #settled = false;
  #linger: NodeJS.Timeout | undefined;

  constructor(
    request: Exchange,
    context: LinkContext,
    settle: Settle,
    session: string | undefined,
    onHeaders: (headers: Headers) => void,
  ) {
    this.#request = request;
    this.#context = context;
    this.#settle = settle;
    this.#session = session;
    this.#onHeaders = onHeaders;
    // From here on, not from the start of the request: it may wait for a connection first.
    request.signal?.addEventListener('abort', () => this.#giveUp(request.signal?.reason as Error), {
      once: true,
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('given up before it was sent'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#onHeaders(headers);
    if (status === 200 && /^text\/event-stream\b/i.test(String(headers['content-type'])))
      this.#feed = eventReader(this.#context.maxMessage, (text) => this.#event(text));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#feed) return this.#guard(controller, () => this.#feed?.(chunk));
    this.#length += chunk.length;
    if (this.#length > (this.#status === 200 ? this.#context.maxMessage : ERROR_BODY))
      return this.#tooLong(controller);
    if (this.#first === undefined) this.#first = chunk;
    else (this.#rest ??= [this.#first]).push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.#linger);
    if (this.#settled) return;
    if (this.#feed) return this.#fail(new LinkError('lost', 'the stream ended before the answer'));
    const body = this.#rest ? Buffer.concat(this.#rest, this.#length) : (this.#first ?? Buffer.alloc(0));
    const message = sliceMessage(body);
    if (message && this.#isAnswer(message, body)) return this.#finish(message);
    this.#fail(refusal(this.#status, body));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#linger);
    const failure = isUnreachable(error) ? 'unsent' : 'lost';
    this.#fail(new LinkError(failure, reasonOf(error), { cause: error }));
  }

  #isAnswer(message: Slices, body: Buffer): boolean {
    if (this.#session !== undefined && isSessionLost(this.#status, body)) return false;
    if (answeredId(message) === this.#request.id) return true;
    // An error answer comes without an id when the server could not read the request. Errors of OAuth have no object.
    const id = textOf(body, message.top.get('id')) ?? 'null';
    const error = textOf(body, message.top.get('error')) ?? '';
    return this.#status >= 400 && id === 'null' && error.startsWith('{');
  }

  #event(text: string): void {
    const message = sliceMessage(Buffer.from(text, 'utf8'));
    if (!message) return this.#context.dropped('noise');
    if (!message.top.has('method'))
      return answeredId(message) === this.#request.id
        ? this.#finish(message)
        : this.#context.dropped('unknown_answer');
    const parsed = readMessage(text);
    if (parsed && !this.#settled) this.#request.onMessage?.(parsed);
  }

  #guard(controller: Dispatcher.DispatchController, read: () => void): void {
    try {
      read();
    } catch (error) {
      this.#fail(new LinkError('bad_answer', reasonOf(error)));
      controller.abort(error as Error);
    }
  }

  #tooLong(controller: Dispatcher.DispatchController): void {
    const why =
      this.#status === 200
        ? `the answer is larger than limits.result (${this.#context.maxMessage} bytes)`
        : `HTTP ${this.#status}`;
    const error = new LinkError('bad_answer', why, { status: this.#status });
    this.#fail(error);
    controller.abort(error);
  }

  #giveUp(reason: Error): void {
    this.#fail(reason);
    this.#controller?.abort(reason);
  }

  #finish(message: Slices): void {
    if (this.#settled) return;
    const fault = faultOf(message);
    if (fault) return this.#fail(fault);
    this.#settled = true;
    this.#settle.resolve(message);
    if (this.#feed)
      this.#linger = setTimeout(() => this.#controller?.abort(new Error('answered')), LINGER).unref();
  }

  #fail(error: Error): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle.reject(error);
  }
}
