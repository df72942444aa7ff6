/**
 * The interface every transport satisfies: carry one message to the server, bring its answer back.
 *
 *   connection.ts (eras, ids, tokens)  ──exchange──►  Link (one file a transport)  ──bytes──►  MCP server
 *                                      ◄──messages──
 */
import type { z } from 'zod';
import type { Era, JsonObject } from '../model.ts';
import type { Slices } from '../protocol/slices.ts';
import type { CredentialPiece } from './credentials/schema.ts';

/** One request with its answer. */
export interface Exchange {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  /** The whole message, serialised once. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** What the server sends on this request's own stream before the answer. HTTP only: stdio cannot tell whose it is. */
  readonly onMessage?: (message: JsonObject) => void;
}

export interface Link {
  /**
   * @returns the answer, sliced: it has `result` or `error`, and the id of the request.
   * @throws LinkError; or the signal's reason when aborted.
   */
  exchange(request: Exchange): Promise<Slices>;
  /** Sends a notification or an answer. Resolves when it is delivered or lost; failures surface on the next exchange. */
  post(text: string, headers: Readonly<Record<string, string>>): Promise<void>;
  /** Opens the stream on which a legacy HTTP server sends what belongs to no request; transports without one ignore it. */
  listen?(headers: Readonly<Record<string, string>>): void;
  /** The era in which an aborted exchange tells the server all it needs; elsewhere a cancellation is sent. */
  readonly cancelsByClosing?: Era;
  close(): Promise<void>;
}

/** What a transport tells whoever holds the link. */
export interface LinkEvents {
  /** A notification or request that arrived outside of any request's stream. */
  readonly message: (message: JsonObject) => void;
  /** The link is of no use any more; called at most once. */
  readonly closed: (reason: string) => void;
  /** The stream for messages outside of requests was away: some may have been missed. */
  readonly missed: () => void;
}

/** How far a failed exchange had come: decides what the caller is told and whether a repeat is safe. */
export type Failure =
  /** The server cannot have seen the request. */
  | 'unsent'
  /** The server no longer knows the session; it did not run the request. */
  | 'session_lost'
  /** The server had the request, the answer was lost. */
  | 'lost'
  /** The server answered, but not with a JSON-RPC answer to this request. */
  | 'bad_answer';

export class LinkError extends Error {
  override readonly name = 'LinkError';
  readonly failure: Failure;
  /** HTTP status, where there was one. */
  readonly status: number | undefined;
  constructor(failure: Failure, message: string, options: { cause?: unknown; status?: number } = {}) {
    super(message, { cause: options.cause });
    this.failure = failure;
    this.status = options.status;
  }
}

/** A transport of whatever kind, for those who do not ask which. */
export interface AnyTransport {
  /** What `transport:` says in the configuration. */
  readonly type: string;
  /** What it is configured with, beside what all upstreams have. */
  readonly shape: z.ZodRawShape;
  /** The key that tells this transport when `transport:` is not written; without it the transport must be named. */
  readonly toldBy?: string;
  /** Which credentials fit. */
  readonly credentials: z.ZodType<CredentialPiece>;
  /** The eras it carries, in the order in which they are tried with a server that was not seen before. */
  readonly eras: readonly [Era, ...Era[]];
  /** Opens the link; resolves when messages can be sent. @throws LinkError with the reason. */
  open(piece: object, context: LinkContext, events: LinkEvents): Promise<Link>;
}

/** One transport: one file that exports this, and one line in kinds.ts. `open` gets what its shape has read. */
export interface TransportKind<Type extends string, Shape extends z.ZodRawShape> extends AnyTransport {
  readonly type: Type;
  readonly shape: Shape;
  readonly toldBy?: string & keyof Shape;
  open(piece: z.output<z.ZodObject<Shape>>, context: LinkContext, events: LinkEvents): Promise<Link>;
}

export interface LinkContext {
  readonly id: string;
  /** Folder in which children start. */
  readonly dir: string;
  /** What the credential adds on the way out. */
  readonly credential: {
    readonly headers: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
  };
  /** Longest message that is accepted from the server, in bytes. */
  readonly maxMessage: number;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    debug(fields: object, message: string): void;
  };
  readonly dropped: (reason: 'noise' | 'unknown_answer' | 'too_long') => void;
}
