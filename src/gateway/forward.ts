/** Sends a call on in its upstream's own terms; the connection adds the credential. */
import type { Entry } from '../catalog/catalog.ts';
import type { Ask, Call, JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import { answerable } from '../protocol/questions.ts';
import type { Slices } from '../protocol/slices.ts';
import { META, metaOf } from '../protocol/versions.ts';
import type { Attempt } from './attempt.ts';
import { headersFor } from './param-headers.ts';
import { upstreamParams } from './target.ts';

export interface Forwarding {
  /** Members of `params` that take the place of the caller's: those of a later round. */
  readonly params?: JsonObject;
  /** Answers what the upstream asks meanwhile. */
  readonly ask?: Ask;
  /** Instead of the caller's own. */
  readonly signal?: AbortSignal;
  readonly notify?: Call['notify'];
}

export async function forward(
  { snapshot, call }: Attempt,
  entry: Entry,
  { params = {}, ask, signal = call.signal, notify = call.notify }: Forwarding = {},
): Promise<Slices> {
  const { target } = entry;
  const upstream = snapshot.upstreams.get(target.upstream)!;
  const sent = { ...upstreamParams(call, target.name), ...params };
  const capabilities = answerable(call.capabilities);
  const started = performance.now();
  let outcome = 'error';
  try {
    const answer = await upstream.request({
      method: call.method,
      params: sent,
      headers: headersFor(entry, sent),
      timeout: upstream.config.timeout,
      signal,
      onMessage: notify,
      ask,
      lane: capabilities && { owner: call.owner, capabilities },
      client: {
        info: clientInfo(call),
        capabilities: call.era === 'modern' ? call.capabilities : (capabilities ?? {}),
        logLevel: call.logLevel,
      },
    });
    outcome = answer.top.has('result') ? 'ok' : 'error';
    return answer;
  } finally {
    const about = { method: call.method, upstream: target.upstream, outcome };
    snapshot.metrics.clientOperation(about, (performance.now() - started) / 1000);
  }
}

/** The caller's name as it gave it; a placeholder when it gave none. */
function clientInfo({ client, params }: Call): JsonObject {
  const info = metaOf(params)[META.clientInfo];
  return isObject(info) ? info : { name: client.name ?? 'unknown', version: client.version ?? '0' };
}
