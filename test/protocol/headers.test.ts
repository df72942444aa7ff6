import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJsonRpc, type GatewayError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/model.ts';
import {
  checkModernHeaders,
  decodeHeaderValue,
  encodeHeaderValue,
  modernHeaders,
  type HeaderMap,
} from '../../src/protocol/headers.ts';
import { META, MODERN_VERSION } from '../../src/protocol/versions.ts';

describe('a header value', () => {
  it('is visible ASCII on the wire and comes back as it was', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', ' x', 'x ', '\ufeffx', '=?base64?eA==?=', '=?base64?x', 'a b', '\r\nx-evil: 1'),
    );
    fc.assert(
      fc.property(value, (text) => {
        const encoded = encodeHeaderValue(text);
        expect(encoded).toMatch(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/);
        expect(decodeHeaderValue(encoded)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('that is plain stays plain', () => {
    expect(encodeHeaderValue('files__read file')).toBe('files__read file');
    expect(encodeHeaderValue('größe')).toBe('=?base64?Z3LDtsOfZQ==?=');
  });

  it.each([
    ['without its padding', '=?base64?eA?='],
    ['with foreign characters', '=?base64?e*A==?='],
    ['in the alphabet of URLs', '=?base64?_-8=?='],
    ['that is no UTF-8', '=?base64?/w==?='],
    ['cut in a character', '=?base64?4oI=?='],
  ])('is undefined in base64 %s', (_what, value) => {
    expect(decodeHeaderValue(value)).toBeUndefined();
  });
});

const META_OK = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} };
const PARAMS = { name: 'größe', _meta: META_OK };

function codeFor(method: string, params: JsonObject, headers: HeaderMap): number | undefined {
  try {
    checkModernHeaders(method, params, headers);
    return undefined;
  } catch (error) {
    return toJsonRpc(error as GatewayError, 'r')['code'] as number;
  }
}

const GOOD = modernHeaders('tools/call', PARAMS);

describe('the headers of a modern request', () => {
  it('made from a body agree with it', () => {
    expect(GOOD).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': '=?base64?Z3LDtsOfZQ==?=',
    });
    expect(codeFor('tools/call', PARAMS, GOOD)).toBeUndefined();
    for (const [method, params] of [
      ['resources/read', { uri: 'file:///a b' }],
      ['prompts/get', { name: 'p' }],
      ['tools/list', {}],
    ] as const) {
      const body = { ...params, _meta: META_OK };
      expect(codeFor(method, body, modernHeaders(method, body))).toBeUndefined();
    }
  });

  it.each([
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no version', { 'mcp-protocol-version': undefined }],
    ['the version twice', { 'mcp-protocol-version': [MODERN_VERSION, MODERN_VERSION] }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['a method in other case', { 'mcp-method': 'Tools/Call' }],
    ['no method', { 'mcp-method': undefined }],
    ['another name', { 'mcp-name': 'other' }],
    ['no name', { 'mcp-name': undefined }],
    ['a name in bad base64', { 'mcp-name': '=?base64?Z3LDtsOfZQ?=' }],
    ['a name behind a byte order mark', { 'mcp-name': encodeHeaderValue('\ufeffgröße') }],
  ])('with %s are a mismatch', (_what, change) => {
    expect(codeFor('tools/call', PARAMS, { ...GOOD, ...change })).toBe(-32020);
  });

  it.each([
    ['of another version', { ...META_OK, [META.protocolVersion]: '2030-01-01' }, -32020],
    ['of a version that is no text', { ...META_OK, [META.protocolVersion]: 5 }, -32022],
    ['without capabilities', { [META.protocolVersion]: MODERN_VERSION }, -32602],
    ['with capabilities in a list', { ...META_OK, [META.clientCapabilities]: [] }, -32602],
    ['without its version', {}, -32602],
  ])('beside a body %s get its own code', (_what, _meta, code) => {
    expect(codeFor('tools/call', { ...PARAMS, _meta }, GOOD)).toBe(code);
  });

  it('that name the unknown version of the body are no mismatch', () => {
    const version = '2030-01-01';
    const params = { ...PARAMS, _meta: { ...META_OK, [META.protocolVersion]: version } };
    expect(codeFor('tools/call', params, { ...GOOD, 'mcp-protocol-version': version })).toBe(-32022);
  });

  it('that name an unknown version are told which are known', () => {
    const headers = { ...GOOD, 'mcp-protocol-version': '2027-01-01' };
    expect(() => checkModernHeaders('tools/list', {}, headers)).toThrow(
      expect.objectContaining({ details: { data: { supported: ['2026-07-28'], requested: '2027-01-01' } } }),
    );
  });
});
