/**
 * An upstream's answer in the caller's terms: members of the other era taken out or put in, URIs mapped. Bytes that need
 * no change are passed on unread.
 */
import type { Entry } from '../catalog/catalog.ts';
import { GatewayError } from '../errors.ts';
import type { Call, Json, JsonObject, Outcome } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import { parseLossless } from '../protocol/json.ts';
import { METHODS } from '../protocol/methods.ts';
import { textOf, type Slices } from '../protocol/slices.ts';
import type { Answer } from './answer.ts';
import type { Attempt } from './attempt.ts';
import type { Snapshot } from './snapshot.ts';

/** Members of a result that exist in the modern era only. */
const MODERN_MEMBERS = ['resultType', 'ttlMs', 'cacheScope'];
const COMPLETE = '"resultType":"complete"';
const UNCACHED = '"ttlMs":0,"cacheScope":"private"';

export function present({ snapshot, call }: Attempt, entry: Entry, answer: Slices): Answer {
  const range = answer.top.get('result');
  if (!range) return presentError(call, answer);
  const outcome = outcomeOf(call, entry, answer);
  const mapped = mapUris(snapshot, entry, answer.bytes.subarray(range[0], range[1]));
  return {
    member: 'result',
    value: mapped ? toEra(call, mapped) : sliceToEra(call, answer, range),
    outcome,
    status: 200,
  };
}

/** The errors that have an HTTP status of their own (2026-07-28, "Transports"): unknown method, missing capability. */
const STATUSES: ReadonlyMap<Json | undefined, number> = new Map([
  [-32601, 404],
  [-32021, 400],
]);

/** The error as the server made it; only the code that changed its number between the eras is translated (-32002, 2026-07-28). */
function presentError(call: Call, { bytes, top }: Slices): Answer {
  const [start, end] = top.get('error')!;
  const value = bytes.subarray(start, end);
  const answer: Answer = { member: 'error', value, outcome: 'upstream_error', status: 200 };
  if (call.era === 'legacy') return answer;
  const error = parseLossless(value.toString('utf8'));
  const code = isObject(error) ? error['code'] : undefined;
  if (code === -32002)
    return { ...answer, value: JSON.stringify({ ...(error as JsonObject), code: -32602 }) };
  return { ...answer, status: STATUSES.get(code) ?? 200 };
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  '"complete"': 'ok',
  '"input_required"': 'input_required',
  '"task"': 'task_started',
};

function outcomeOf(call: Call, { target }: Entry, { bytes, result }: Slices): Outcome {
  const type = textOf(bytes, result.get('resultType')) ?? '"complete"';
  const outcome = OUTCOMES[type];
  if (outcome === undefined || (outcome !== 'ok' && call.era === 'legacy'))
    throw new GatewayError(
      'upstream_error',
      `The server "${target.upstream}" answered with the result type ${type.slice(0, 40)}, which this client cannot take.`,
      { upstream: target.upstream },
    );
  return textOf(bytes, result.get('isError')) === 'true' ? 'tool_error' : outcome;
}

/** Cuts and adds members in the bytes. */
function sliceToEra(call: Call, { bytes, result }: Slices, [start, end]: readonly [number, number]): Buffer {
  if (call.era === 'legacy') {
    if (!MODERN_MEMBERS.some((name) => result.has(name))) return bytes.subarray(start, end);
    return without(bytes, result, MODERN_MEMBERS, '');
  }
  const cacheable = METHODS[call.method]?.cacheable === true;
  const typed = result.has('resultType');
  if (typed && !cacheable) return bytes.subarray(start, end);
  if (bytes[start] !== 0x7b) return bytes.subarray(start, end);
  const added = [...(typed ? [] : [COMPLETE]), ...(cacheable ? [UNCACHED] : [])].join(',');
  if (cacheable) return without(bytes, result, ['ttlMs', 'cacheScope'], added);
  const glue = result.size === 0 ? '}' : ',';
  return Buffer.concat([
    Buffer.from(`{${added}${glue}`),
    result.size === 0 ? Buffer.alloc(0) : bytes.subarray(start + 1, end),
  ]);
}

function without(bytes: Buffer, result: Slices['result'], names: readonly string[], added: string): Buffer {
  const kept = [...result].filter(([name]) => !names.includes(name));
  const parts = kept.map(([name, [from, to]]) =>
    Buffer.concat([Buffer.from(`${JSON.stringify(name)}:`), bytes.subarray(from, to)]),
  );
  const all = added === '' ? parts : [Buffer.from(added), ...parts];
  const joined = all.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from(','), part]));
  return Buffer.concat([Buffer.from('{'), ...joined, Buffer.from('}')]);
}

function toEra(call: Call, result: JsonObject): string {
  const { resultType, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  if (call.era === 'legacy') return JSON.stringify(rest);
  const cache = METHODS[call.method]?.cacheable === true ? { ttlMs: 0, cacheScope: 'private' } : {};
  return JSON.stringify({ resultType: resultType ?? 'complete', ...cache, ...rest });
}

/** @returns the changed result; undefined when the bytes hold no URI that would be written otherwise downstream. */
function mapUris({ catalog }: Snapshot, { target }: Entry, bytes: Buffer): JsonObject | undefined {
  if (!bytes.includes('uri"') && !bytes.includes('resourceUri')) return undefined;
  const result = parseLossless(bytes.toString('utf8'));
  if (!isObject(result)) return undefined;
  const expose = (uri: string): string => catalog.exposeUri(target.upstream, uri);
  const changed: JsonObject = { ...result };
  if (Array.isArray(result['content']))
    changed['content'] = result['content'].map((block) => mapBlock(block, expose));
  if (Array.isArray(result['contents']))
    changed['contents'] = result['contents'].map((item) => mapMember(item, 'uri', expose));
  if (Array.isArray(result['messages']))
    changed['messages'] = result['messages'].map((message) => mapMessage(message, expose));
  if (isObject(result['_meta']) && isObject(result['_meta']['ui']))
    changed['_meta'] = { ...result['_meta'], ui: mapMember(result['_meta']['ui'], 'resourceUri', expose) };
  return changed;
}

type Expose = (uri: string) => string;

function mapMember(value: Json, member: string, expose: Expose): Json {
  if (!isObject(value)) return value;
  const uri = value[member];
  return typeof uri === 'string' ? { ...value, [member]: expose(uri) } : value;
}

function mapBlock(block: Json, expose: Expose): Json {
  if (!isObject(block)) return block;
  if (block['type'] === 'resource_link') return mapMember(block, 'uri', expose);
  return block['type'] === 'resource'
    ? { ...block, resource: mapMember(block['resource'] ?? null, 'uri', expose) }
    : block;
}

function mapMessage(message: Json, expose: Expose): Json {
  if (!isObject(message)) return message;
  const { content } = message;
  if (content === undefined) return message;
  return {
    ...message,
    content: Array.isArray(content)
      ? content.map((block) => mapBlock(block, expose))
      : mapBlock(content, expose),
  };
}
