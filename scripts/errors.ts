/** Writes docs/errors.md from the tables in the code: what a caller gets for everything that can go wrong. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ERRORS, GatewayError, type ErrorCode } from '../src/errors.ts';
import { failed } from '../src/gateway/answer.ts';

const HEAD = `# Errors

Written by \`npm run build:errors\` from the tables in \`src/errors.ts\` and \`src/gateway/answer.ts\`.

An error of the request itself is a JSON-RPC error. What a model can act on comes, for \`tools/call\`, as a tool result with \`isError\`, whose
\`_meta["gatehouse/error"]\` holds \`{ code, reason, requestId, retryAfter?, upstream? }\`; every other method has the same in \`error.data\`.
\`requestId\` finds the audit record. What the policy hides from a caller is answered like what does not exist.

| code | JSON-RPC | HTTP before the route | \`tools/call\` | HTTP, modern era | audit outcome | meaning |
| --- | --- | --- | --- | --- | --- | --- |
`;

function row(code: ErrorCode): string {
  const { rpc, http, outcome, meaning } = ERRORS[code];
  const { member, status } = failed(new GatewayError(code, meaning), {
    method: 'tools/call',
    era: 'modern',
    requestId: '',
  });
  const form = member === 'result' ? 'result with isError' : 'error';
  return `| \`${code}\` | ${rpc} | ${http === 200 ? '—' : http} | ${form} | ${status} | ${outcome} | ${meaning} |`;
}

/** The whole page. */
export const errorsPage = (): string =>
  `${HEAD}${(Object.keys(ERRORS) as ErrorCode[]).map(row).join('\n')}\n`;

if (import.meta.main)
  writeFileSync(fileURLToPath(new URL('../docs/errors.md', import.meta.url)), errorsPage());
