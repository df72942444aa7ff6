/** Protocol revisions, and the `_meta` keys of the modern era (2026-07-28, "Base protocol: _meta"). */
import type { Era, JsonObject } from '../model.ts';
import { isObject } from './envelope.ts';

export const MODERN_VERSION = '2026-07-28';
/** Newest first; the first is what we offer in `initialize`. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** What a client of the Streamable HTTP transport means when it sends no version header (2025-06-18). */
export const ASSUMED_VERSION = '2025-03-26';

export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

export const isLegacyVersion = (version: unknown): version is string =>
  (LEGACY_VERSIONS as readonly unknown[]).includes(version);

/** `params._meta`, or an empty object. */
export function metaOf(params: JsonObject): JsonObject {
  const meta = params['_meta'];
  return isObject(meta) ? meta : {};
}

/** A request is modern when its `_meta` says so, or its version header; `initialize` has no such header in any era. */
export function eraOf(method: string, params: JsonObject, versionHeader: string | undefined): Era {
  if (META.protocolVersion in metaOf(params)) return 'modern';
  if (method === 'initialize') return 'legacy';
  return versionHeader !== undefined && versionHeader >= MODERN_VERSION ? 'modern' : 'legacy';
}
