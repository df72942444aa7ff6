/** The request headers of the modern era: read and checked on the way in, made anew on the way out (2026-07-28, SEP-2243). */
import { GatewayError } from '../errors.ts';
import type { JsonObject } from '../model.ts';
import { isObject } from './envelope.ts';
import { META, metaOf, MODERN_VERSION } from './versions.ts';

export type HeaderMap = Readonly<Record<string, string | string[] | undefined>>;

/** Methods whose target stands in `Mcp-Name`, and the member of `params` it must equal. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** A header value may carry visible ASCII and inner spaces; everything else goes as `=?base64?…?=`. */
export function encodeHeaderValue(value: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?');
  return plain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

/** @returns undefined when the value is malformed base64 or not UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  // Buffer skips what is no base64; only the one canonical form is taken.
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Checks what a modern request says of itself in `_meta`, on every transport. `header` stands for a version that is missing there.
 * @throws GatewayError `unsupported_version` or `invalid_params` (-32022, -32602).
 */
export function checkModernMeta(params: JsonObject, header?: string | string[]): void {
  const meta = metaOf(params);
  const version = meta[META.protocolVersion];
  const requested = version ?? header;
  if (requested !== MODERN_VERSION)
    throw new GatewayError(
      'unsupported_version',
      `Protocol version ${JSON.stringify(requested)} is not supported.`,
      { data: { supported: [MODERN_VERSION], requested: typeof requested === 'string' ? requested : '' } },
    );
  if (version === undefined || !isObject(meta[META.clientCapabilities]))
    throw new GatewayError(
      'invalid_params',
      `params._meta must hold "${META.protocolVersion}" and "${META.clientCapabilities}".`,
    );
}

/**
 * Checks that the headers say what the body says.
 * @throws GatewayError `unsupported_version`, `invalid_params` or `header_mismatch` (-32022, -32602, -32020).
 */
export function checkModernHeaders(method: string, params: JsonObject, headers: HeaderMap): void {
  const version = metaOf(params)[META.protocolVersion];
  const header = headers['mcp-protocol-version'];
  if (typeof version === 'string' && header !== undefined)
    expectHeader('MCP-Protocol-Version', header, version);
  checkModernMeta(params, header);
  expectHeader('MCP-Protocol-Version', header, version as string);
  expectHeader('Mcp-Method', headers['mcp-method'], method);
  const member = NAMED[method];
  if (member !== undefined && typeof params[member] === 'string')
    expectHeader('Mcp-Name', headers['mcp-name'], params[member]);
}

function expectHeader(name: string, value: string | string[] | undefined, expected: string): void {
  if (typeof value !== 'string') throw new GatewayError('header_mismatch', `The header ${name} is missing.`);
  if (decodeHeaderValue(value.trim()) !== expected)
    throw new GatewayError('header_mismatch', `The header ${name} does not agree with the body.`);
}

/** The headers of a modern request to an upstream, made from the body that is sent. */
export function modernHeaders(method: string, params: JsonObject): Record<string, string> {
  const member = NAMED[method];
  const name = member === undefined ? undefined : params[member];
  return {
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': encodeHeaderValue(name) } : {}),
  };
}
