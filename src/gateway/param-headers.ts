/** The `Mcp-Param-*` headers of a call: compared with its arguments on the way in, made anew on the way out. */
import type { Entry } from '../catalog/catalog.ts';
import type { Call, Json, JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import {
  checkParamHeaders,
  paramHeaders,
  paramHeadersOf,
  type ParamHeader,
} from '../protocol/param-headers.ts';

const NONE: readonly ParamHeader[] = [];
/** A definition is read once, when its tool is first called. */
const read = new WeakMap<Entry, readonly ParamHeader[]>();

function declaredBy(entry: Entry): readonly ParamHeader[] {
  if (entry.target.kind !== 'tool') return NONE;
  const known = read.get(entry);
  if (known) return known;
  const declared = entry.text.includes('"x-mcp-header"')
    ? paramHeadersOf((JSON.parse(entry.text) as Record<string, Json>)['inputSchema'])
    : NONE;
  read.set(entry, declared);
  return declared;
}

/** Only modern clients over HTTP send such headers. @throws GatewayError `header_mismatch` when they say something else than the arguments. */
export function checkCallHeaders({ params, paramHeaders: headers }: Call, entry: Entry): void {
  const declared = declaredBy(entry);
  if (headers && declared.length > 0) checkParamHeaders(declared, argumentsIn(params), headers);
}

/** What a modern upstream wants to see in headers; undefined when it is nothing. */
export function headersFor(entry: Entry, params: JsonObject): Readonly<Record<string, string>> | undefined {
  const declared = declaredBy(entry);
  return declared.length === 0 ? undefined : paramHeaders(declared, argumentsIn(params));
}

const argumentsIn = ({ arguments: given }: JsonObject): JsonObject => (isObject(given) ? given : {});
