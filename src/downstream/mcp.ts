/**
 * The `/mcp` endpoint on the raw listener: guards, body, principal, era, then the handler of that era.
 *
 *   POST ─► guard ─► Principal ─► body ─► one reading ─► legacy.ts | modern.ts ─► gateway
 */
import { classify, idOf, type Id } from '../protocol/envelope.ts';
import { readJson } from '../protocol/json.ts';
import { eraOf } from '../protocol/versions.ts';
import { versionHeader, type McpDependencies } from './arrival.ts';
import { readBody } from './body.ts';
import { checkOpen, createEndpoint, refuse, type Handler, type Visit } from './endpoint.ts';
import { createLegacy } from './legacy.ts';
import { createModern } from './modern.ts';
import { accepted } from './reply.ts';

export function createMcp(dependencies: McpDependencies): Handler {
  const { config, authenticate } = dependencies;
  const legacy = createLegacy(dependencies);
  const handlers = { legacy: legacy.post, modern: createModern(dependencies) };

  async function post(visit: Visit): Promise<void> {
    const { request } = visit;
    let id: Id | null = null;
    try {
      checkOpen(dependencies.draining);
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
      await handlers[era]({ ...visit, principal, source, accepts, bytes: body.length }, message);
    } catch (thrown) {
      refuse(dependencies, visit, id, thrown);
    }
  }

  return createEndpoint(dependencies, {
    POST: post,
    GET: ({ request, response }) => legacy.listen(request, response),
    DELETE: ({ request, response }) => legacy.end(request, response),
  });
}
