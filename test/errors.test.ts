/** What the caller gets, row by row: every error × method × era, against the table of the design. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorsPage } from '../scripts/errors.ts';
import { asGatewayError, ERRORS, GatewayError, type ErrorCode } from '../src/errors.ts';
import { failed } from '../src/gateway/answer.ts';

const ERAS = ['legacy', 'modern'] as const;

/** code → JSON-RPC number, and whether `tools/call` gets it as a result. */
const EXPECTED: Readonly<Record<ErrorCode, readonly [rpc: number, asResult: boolean]>> = {
  parse_error: [-32700, false],
  invalid_request: [-32600, false],
  unsupported_media_type: [-32600, false],
  not_acceptable: [-32600, false],
  too_large: [-32600, false],
  forbidden_host: [-32600, false],
  unauthenticated: [-32600, false],
  session_required: [-32600, false],
  session_unknown: [-32600, false],
  method_not_found: [-32601, false],
  header_mismatch: [-32020, false],
  missing_capability: [-32021, false],
  unsupported_version: [-32022, false],
  invalid_params: [-32602, false],
  unknown_target: [-32602, false],
  internal: [-32603, false],
  denied: [1001, true],
  policy_error: [1001, true],
  limited: [1002, true],
  overloaded: [1003, true],
  upstream_unavailable: [1004, true],
  upstream_error: [1004, true],
  timed_out: [1005, true],
  outcome_unknown: [1006, true],
  cancelled: [1005, true],
  shutdown: [1003, true],
};

describe.each(Object.keys(ERRORS) as ErrorCode[])('%s', (code) => {
  const [rpc, asResult] = EXPECTED[code];
  const error = new GatewayError(code, 'because', {
    retryAfter: 3,
    upstream: 'files',
    hidden: 'not for the caller',
  });
  const facts = { code, reason: 'because', requestId: 'id-1', retryAfter: 3, upstream: 'files' };

  it.each(
    ERAS.flatMap((era) =>
      ['tools/call', 'resources/read', 'prompts/get', 'tools/list', 'completion/complete'].map(
        (method) => [era, method] as const,
      ),
    ),
  )('%s %s', (era, method) => {
    const answer = failed(error, { method, era, requestId: 'id-1' });
    const value = JSON.parse(answer.value.toString());
    expect(answer.value.toString()).not.toContain('not for the caller');
    expect([answer.outcome, answer.retryAfter]).toEqual([ERRORS[code].outcome, 3]);
    if (asResult && method === 'tools/call') {
      expect(answer).toMatchObject({ member: 'result', status: 200 });
      expect(value).toEqual({
        ...(era === 'modern' ? { resultType: 'complete' } : {}),
        content: [{ type: 'text', text: 'because' }],
        isError: true,
        _meta: { 'gatehouse/error': facts },
      });
    } else {
      expect(answer.member).toBe('error');
      expect(value).toEqual({ code: rpc, message: 'because', data: facts });
      const withStatus: Readonly<Record<number, number>> = {
        [-32601]: 404,
        [-32020]: 400,
        [-32021]: 400,
        [-32022]: 400,
      };
      expect(answer.status).toBe(era === 'modern' ? (withStatus[rpc] ?? 200) : 200);
    }
  });
});

it('says nothing of a fault that is not known', () => {
  const error = asGatewayError(new Error('secret text of a library'));
  expect(error).toMatchObject({ code: 'internal' });
  expect(error.message).not.toContain('secret');
});

it('is what docs/errors.md says', () => {
  expect(
    readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8').replaceAll(/\s+|-{3,}/g, ''),
  ).toBe(errorsPage().replaceAll(/\s+|-{3,}/g, ''));
});
