/** What every MCP path on the raw listener shares: Host and Origin, CORS, the HTTP methods, and how a failure goes out. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asGatewayError, GatewayError } from '../errors.ts';
import type { Id } from '../protocol/envelope.ts';
import type { McpDependencies } from './arrival.ts';
import { sendError } from './reply.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** One HTTP request on its way. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
}

/** What is thrown goes out as an error without an id. */
type Method = (visit: Visit) => void | Promise<void>;

type Dependencies = Pick<McpDependencies, 'guard' | 'gateway' | 'log' | 'draining' | 'requestId'>;

/** By HTTP method; OPTIONS is answered here, another method with 405. */
export function createEndpoint(
  dependencies: Dependencies,
  methods: Readonly<Record<string, Method>>,
): Handler {
  const { guard } = dependencies;
  const verbs = Object.keys(methods).join(', ');
  const allow = { allow: `${verbs}, OPTIONS` };
  const preflight = { ...allow, ...PREFLIGHT, 'access-control-allow-methods': verbs };

  async function handle(visit: Visit): Promise<void> {
    const { request, response } = visit;
    try {
      guard.check(request);
      const origin = guard.origin(request);
      if (origin !== undefined) {
        response.setHeader('access-control-allow-origin', origin);
        response.setHeader('access-control-expose-headers', 'Mcp-Session-Id');
        response.setHeader('vary', 'Origin');
      }
      if (request.method === 'OPTIONS') return void response.writeHead(204, preflight).end();
      const method = methods[request.method ?? ''];
      if (!method) return void response.writeHead(405, allow).end();
      await method(visit);
    } catch (thrown) {
      refuse(dependencies, visit, null, thrown);
    }
  }

  return (request, response) => void handle({ request, response, requestId: dependencies.requestId() });
}

/** Answers with an error, under the id of the message where it has one. */
export function refuse(
  dependencies: Pick<McpDependencies, 'gateway' | 'log'>,
  { request, response, requestId }: Visit,
  id: Id | null,
  thrown: unknown,
): void {
  const error = recordError(dependencies, requestId, request.socket.remoteAddress ?? '', thrown);
  sendError(response, error, requestId, id);
}

/** What did not reach the route has its record too. @returns the error that the caller sees. */
export function recordError(
  { gateway, log }: Pick<McpDependencies, 'gateway' | 'log'>,
  requestId: string,
  source: string,
  thrown: unknown,
): GatewayError {
  const error = asGatewayError(thrown);
  if (error.code === 'internal')
    log.error(
      { requestId, error: String((error.cause as Error | undefined)?.stack ?? error.cause) },
      'a request failed inside the gateway',
    );
  gateway.snapshot().audit.invalid({ requestId, error, source });
  return error;
}

/** @throws GatewayError `shutdown` */
export function checkOpen(draining: () => boolean): void {
  if (draining()) throw new GatewayError('shutdown', 'The gateway is shutting down.', { retryAfter: 5 });
}

const PREFLIGHT = {
  'access-control-allow-headers':
    'Authorization, X-API-Key, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID',
  'access-control-max-age': '600',
};
