import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GatewayError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/model.ts';
import {
  checkParamHeaders,
  paramHeaders,
  paramHeadersOf,
  selectParamHeaders,
} from '../../src/protocol/param-headers.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  'x-mcp-header': 'Root',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    depth: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
    split: { type: 'string', 'x-mcp-header': 'x\r\nevil: 1' },
    list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Item' } },
    plain: { type: 'string' },
  },
};
const DECLARED = paramHeadersOf(SCHEMA);

function verdict(args: JsonObject, headers: Record<string, string>): string {
  try {
    checkParamHeaders(DECLARED, args, headers);
    return 'ok';
  } catch (error) {
    return (error as GatewayError).code;
  }
}

describe('the headers a schema declares', () => {
  it('stand on properties of properties, under names that are tokens', () => {
    expect(DECLARED).toEqual([
      { path: ['region'], header: 'mcp-param-region' },
      { path: ['depth', 'count'], header: 'mcp-param-count' },
    ]);
  });

  it('are none in a schema that is none', () => {
    expect(paramHeadersOf(true)).toEqual([]);
    expect(paramHeadersOf(undefined)).toEqual([]);
  });

  it('are found in a schema of any depth that a reader bears', () => {
    let schema: JsonObject = { 'x-mcp-header': 'Deep' };
    for (let depth = 0; depth < 5_000; depth++) schema = { properties: { a: schema } };
    expect(paramHeadersOf(schema)).toEqual([]);
  });
});

describe('headers made from arguments', () => {
  it('are accepted beside the same arguments, whatever these are', () => {
    const region = fc.oneof(fc.string({ unit: 'binary' }), fc.boolean(), fc.double(), fc.constant(null));
    fc.assert(
      fc.property(region, fc.integer(), (value, count) => {
        const args = { region: value, depth: { count } };
        expect(verdict(args, paramHeaders(DECLARED, args))).toBe('ok');
      }),
    );
  });

  it('are not made for what is not there', () => {
    expect(paramHeaders(DECLARED, { region: null, depth: 'flat', plain: 'x' })).toEqual({});
    expect(paramHeaders(DECLARED, { depth: { count: 2 ** 60 } })).toEqual({});
  });
});

describe('headers of a client', () => {
  it.each([
    ['missing', { region: 'eu' }, {}],
    ['of another value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['in broken base64', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
    ['of another number', { depth: { count: 42 } }, { 'mcp-param-count': '43' }],
    ['of a number that is none', { depth: { count: 0 } }, { 'mcp-param-count': '' }],
  ])('%s are a mismatch', (_what, args, headers) => {
    expect(verdict(args, headers)).toBe('header_mismatch');
  });

  it.each([
    ['with spaces around', { region: 'eu' }, { 'mcp-param-region': ' eu ' }],
    ['in base64', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8=?=' }],
    ['with a beginning of base64 only', { region: '=?base64?SGVs' }, { 'mcp-param-region': '=?base64?SGVs' }],
    ['with the same number', { depth: { count: 42 } }, { 'mcp-param-count': '42.0' }],
    ['without an argument', {}, { 'mcp-param-region': 'eu' }],
  ])('%s agree', (_what, args, headers) => {
    expect(verdict(args, headers)).toBe('ok');
  });

  it('are all that is taken from a request', () => {
    const headers = { authorization: 'Bearer x', 'mcp-param-region': 'eu', 'mcp-name': 'n' };
    expect(selectParamHeaders(headers)).toEqual({ 'mcp-param-region': 'eu' });
  });
});
