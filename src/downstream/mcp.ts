/**
 * The `/mcp` endpoint on the raw listener: guards, body, principal, era, then the handler of that era.
 *
 *   POST ─► guard ─► Principal ─► body ─► one reading ─► legacy.ts | modern.ts ─► gateway
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asGatewayError, GatewayError } from '../errors.ts';
import { classify, idOf, type Id } from '../protocol/envelope.ts';
import { readJson } from '../protocol/json.ts';
import { eraOf } from '../protocol/versions.ts';
import { versionHeader, type McpDependencies } from './arrival.ts';
import { readBody } from './body.ts';
import { createLegacy } from './legacy.ts';
import { createModern } from './modern.ts';
import { accepted, sendError } from './reply.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export function createMcp(dependencies: McpDependencies): Handler {
  const { config, guard, authenticate, gateway, log } = dependencies;
  const legacy = createLegacy(dependencies);
  const handlers = { legacy: legacy.post, modern: createModern(dependencies) };

  async function post(request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> {
    let id: Id | null = null;
    try {
      if (dependencies.draining())
        throw new GatewayError('shutdown', 'The gateway is shutting down.', { retryAfter: 5 });
      const principal = authenticate(request.headers);
      const accepts = accepted(request);
      const body = await readBody(request, config.limits.body);
      const value = readJson(body.toString('utf8'), config.limits.depth);
      id = idOf(value);
      const message = classify(value);
      const era =
        message.kind === 'response'
          ? 'legacy'
          : eraOf(message.method, message.params, versionHeader(request));
      const source = request.socket.remoteAddress ?? '';
      await handlers[era](
        { request, response, requestId, principal, source, accepts, bytes: body.length },
        message,
      );
    } catch (thrown) {
      refuse(request, response, requestId, id, thrown);
    }
  }

  function refuse(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    id: Id | null,
    thrown: unknown,
  ): void {
    const error = asGatewayError(thrown);
    if (error.code === 'internal')
      log.error(
        { requestId, error: String((error.cause as Error | undefined)?.stack ?? error.cause) },
        'a request failed inside the gateway',
      );
    gateway.snapshot().audit.invalid({ requestId, error, source: request.socket.remoteAddress ?? '' });
    sendError(response, error, requestId, id);
  }

  const METHODS: Readonly<
    Record<
      string,
      (request: IncomingMessage, response: ServerResponse, requestId: string) => void | Promise<void>
    >
  > = {
    POST: post,
    GET: legacy.listen,
    DELETE: legacy.end,
    OPTIONS: (_request, response) =>
      void response.writeHead(204, { allow: 'POST, GET, DELETE, OPTIONS', ...PREFLIGHT }).end(),
  };

  return function mcp(request, response) {
    const requestId = dependencies.requestId();
    try {
      guard.check(request);
      const origin = guard.origin(request);
      if (origin !== undefined) {
        response.setHeader('access-control-allow-origin', origin);
        response.setHeader('access-control-expose-headers', 'Mcp-Session-Id');
        response.setHeader('vary', 'Origin');
      }
      const method = METHODS[request.method ?? ''];
      if (method)
        return void Promise.resolve(method(request, response, requestId)).catch((error: unknown) =>
          refuse(request, response, requestId, null, error),
        );
      response.writeHead(405, { allow: 'POST, GET, DELETE, OPTIONS' }).end();
    } catch (thrown) {
      refuse(request, response, requestId, null, thrown);
    }
  };
}

const PREFLIGHT = {
  'access-control-allow-methods': 'POST, GET, DELETE',
  'access-control-allow-headers':
    'Authorization, X-API-Key, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID',
  'access-control-max-age': '600',
};
