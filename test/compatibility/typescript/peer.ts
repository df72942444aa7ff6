/** What a client of either SDK can do here. */
import type { Offer, Target } from '../plan.ts';

/** A connected client of either SDK. */
export interface Peer {
  listTools(): Promise<unknown>;
  callTool(offer: Offer, options?: CallOptions): Promise<unknown>;
  readResource(uri: string): Promise<unknown>;
  getPrompt(name: string, args: Record<string, string>): Promise<unknown>;
  complete(name: string, argument: { name: string; value: string }): Promise<unknown>;
  /** Asks for all log messages, if the era has a request for it. */
  openLog(): Promise<unknown>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly onprogress?: () => void;
  readonly signal?: AbortSignal;
}

/** What both SDKs are given: the text of each log message goes to `log`. */
export type Connect = (target: Target, log: (text: string) => void) => Promise<Peer>;
