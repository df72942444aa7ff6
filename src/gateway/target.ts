/** What a forwarded request is about: found by the exposed name, sent on by the upstream's own. */
import type { Entry } from '../catalog/catalog.ts';
import { GatewayError } from '../errors.ts';
import type { Call, JsonObject, Outcome } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import { METHODS } from '../protocol/methods.ts';
import type { Snapshot } from './snapshot.ts';

/** @throws GatewayError `invalid_params` when the request does not say what it is about. */
export function findTarget({ catalog }: Snapshot, call: Call): Entry | undefined {
  return FIND[METHODS[call.method]!.target!](catalog, call);
}

type Find = (catalog: Snapshot['catalog'], call: Call) => Entry | undefined;

const FIND: Readonly<Record<'name' | 'uri' | 'ref', Find>> = {
  name: (catalog, { method, params }) =>
    catalog.byName(method === 'prompts/get' ? 'prompt' : 'tool', textParam(params, 'name')),
  uri: (catalog, { params }) => catalog.byUri(textParam(params, 'uri')),
  ref(catalog, { params }) {
    const { ref } = params;
    if (!isObject(ref)) throw new GatewayError('invalid_params', 'params.ref must be an object.');
    if (ref['type'] === 'ref/prompt') return catalog.byName('prompt', textParam(ref, 'name'));
    const uri = textParam(ref, 'uri');
    return catalog.byTemplate(uri) ?? catalog.byUri(uri);
  },
};

const MAX_NAME = 8 * 1024;

function textParam(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value === 'string' && value !== '' && value.length <= MAX_NAME && !value.includes('\0'))
    return value;
  throw new GatewayError(
    'invalid_params',
    `params.${name} must be a non-empty string of at most ${MAX_NAME} characters.`,
  );
}

/** `params` with the exposed name put back to the upstream's own. */
export function upstreamParams({ method, params }: Call, original: string): JsonObject {
  const { arguments: given, ref } = params;
  if (given !== undefined && !isObject(given))
    throw new GatewayError('invalid_params', 'params.arguments must be an object.');
  if (METHODS[method]!.target !== 'ref') return { ...params, [METHODS[method]!.target!]: original };
  const named = isObject(ref) && ref['type'] === 'ref/prompt' ? 'name' : 'uri';
  return { ...params, ref: { ...(ref as JsonObject), [named]: original } };
}

const WHAT = { name: 'tool', uri: 'resource', ref: 'reference' } as const;

/** The same words for what does not exist and for what this caller may not know of. */
export function unknownTarget({ method, params }: Call, outcome: Outcome = 'invalid'): GatewayError {
  const { target } = METHODS[method]!;
  const what = method === 'prompts/get' ? 'prompt' : WHAT[target!];
  const said = isObject(params['ref']) ? params['ref'] : params;
  return new GatewayError(
    'unknown_target',
    `Unknown ${what}: ${JSON.stringify(said['name'] ?? said['uri']).slice(0, 200)}`,
    { outcome },
  );
}

const ENVELOPE = new Set(['name', 'uri', 'ref', '_meta']);

/** `params.arguments` where the method has them; else what `params` holds beside the target. */
export function argumentsOf({ method, params }: Pick<Call, 'method' | 'params'>): JsonObject {
  if (method === 'tools/call' || method === 'prompts/get')
    return isObject(params['arguments']) ? params['arguments'] : {};
  return Object.fromEntries(Object.entries(params).filter(([name]) => !ENVELOPE.has(name)));
}
