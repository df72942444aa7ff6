/** What the handlers of both eras are given: the long-lived things around them, and one request after the common checks. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config/config.ts';
import { GatewayError } from '../errors.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Principal } from '../model.ts';
import type { Incoming } from '../protocol/envelope.ts';
import type { Log } from '../telemetry/log.ts';
import type { Authenticate } from './auth/authenticate.ts';
import type { Guard } from './guard.ts';
import type { Accepts } from './reply.ts';
import type { Sessions } from './sessions.ts';
import type { Streams } from './streams.ts';

export interface McpDependencies {
  readonly config: Config;
  readonly gateway: Gateway;
  readonly guard: Guard;
  readonly authenticate: Authenticate;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly log: Log;
  /** The gateway is shutting down and takes nothing new. */
  readonly draining: () => boolean;
  /** A new id for an attempt. */
  readonly requestId: () => string;
}

/** Who sent a message, whatever carried it. */
export interface Sender {
  readonly requestId: string;
  readonly principal: Principal;
  /** Address of the peer, or what stands for it. */
  readonly source: string;
  /** Length of the message. */
  readonly bytes: number;
}

/** One request over HTTP after the checks that both eras share. */
export interface Arrival extends Sender {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly accepts: Accepts;
}

export type EraHandler = (arrival: Arrival, message: Incoming) => Promise<void>;

export function versionHeader({ headers }: IncomingMessage): string | undefined {
  const header = headers['mcp-protocol-version'];
  if (Array.isArray(header))
    throw new GatewayError('invalid_request', 'The header MCP-Protocol-Version appears twice.');
  return header;
}
