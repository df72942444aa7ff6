/** Arguments that a tool wants repeated in headers, `Mcp-Param-*`: which they are, what is sent, what must agree (2026-07-28, SEP-2243). */
import { GatewayError } from '../errors.ts';
import type { Json, JsonObject } from '../model.ts';
import { isObject } from './envelope.ts';
import { decodeHeaderValue, encodeHeaderValue, type HeaderMap } from './headers.ts';

/** One property of an `inputSchema` with `x-mcp-header`. */
export interface ParamHeader {
  /** Names of properties, from the arguments down to the value. */
  readonly path: readonly string[];
  /** In lower case, with the prefix. */
  readonly header: string;
}

const PREFIX = 'mcp-param-';
const ANNOTATION = 'x-mcp-header';
/** A field name of HTTP (RFC 9110, "token"). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]{1,128}$/;
const MAX_DEPTH = 32;

/** What a tool's `inputSchema` declares on properties of properties; an annotation anywhere else means nothing. */
export function paramHeadersOf(schema: Json | undefined, path: readonly string[] = []): ParamHeader[] {
  if (!isObject(schema) || path.length > MAX_DEPTH) return [];
  const name = schema[ANNOTATION];
  const declared =
    path.length > 0 && typeof name === 'string' && TOKEN.test(name)
      ? [{ path, header: PREFIX + name.toLowerCase() }]
      : [];
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return [...declared, ...properties.flatMap(([key, child]) => paramHeadersOf(child, [...path, key]))];
}

/** The `Mcp-Param-*` headers among all headers of a request: no others go past the edge. */
export function selectParamHeaders(headers: HeaderMap): Record<string, string> {
  const selected: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (name.startsWith(PREFIX) && typeof value === 'string') selected[name] = value;
  }
  return selected;
}

/** The headers for a request to an upstream, made from the arguments that are sent. */
export function paramHeaders(declared: readonly ParamHeader[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    const value = textAt(args, path);
    if (value !== undefined) headers[header] = encodeHeaderValue(value);
  }
  return headers;
}

/**
 * Checks that the headers say what the arguments say; a header without its argument is ignored.
 * @throws GatewayError `header_mismatch`.
 */
export function checkParamHeaders(
  declared: readonly ParamHeader[],
  args: JsonObject,
  headers: HeaderMap,
): void {
  for (const { path, header } of declared) {
    const expected = textAt(args, path);
    if (expected === undefined) continue;
    const value = headers[header];
    if (typeof value !== 'string')
      throw new GatewayError('header_mismatch', `The header ${header} is missing.`);
    if (!agree(decodeHeaderValue(value.trim()), expected))
      throw new GatewayError('header_mismatch', `The header ${header} does not agree with the body.`);
  }
}

/** A value as it stands in a header; undefined for what has no such form: null, objects, numbers that lose digits. */
function textAt(args: JsonObject, path: readonly string[]): string | undefined {
  let value: Json | undefined = args;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
}

const DECIMAL = /^-?\d{1,20}(?:\.\d{1,20})?$/;

/** Numbers by value: `42.0` is 42. */
function agree(said: string | undefined, expected: string): boolean {
  if (said === expected) return true;
  return (
    said !== undefined && DECIMAL.test(said) && DECIMAL.test(expected) && Number(said) === Number(expected)
  );
}
