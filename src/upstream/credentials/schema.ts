/** The kinds of upstream credentials, one schema each; values are usually references (`${env:X}`, `${file:/path}`). */
import { z } from 'zod';

/** Headers that carry the protocol: the transport alone sets them. */
const RESERVED = /^(host|connection|content-.*|transfer-encoding|te|upgrade|accept|mcp-.*|last-event-id)$/i;

export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'not a header name')
  .refine((name) => !RESERVED.test(name), 'the gateway sets this header itself; leave it out');
export const headerValue = z
  .string()
  .regex(/^[\x20-\x7e]+$/, 'a header value is one line of printable ASCII, not empty');

/** For upstreams with a `url`. */
export const httpCredentials = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('header').describe('Sends one HTTP header'),
    name: headerName.default('Authorization').describe('Name of the header'),
    value: headerValue.describe('Its whole value, such as `Bearer ${env:TOKEN}`'),
  }),
  z.strictObject({
    type: z.literal('headers').describe('Sends several HTTP headers'),
    values: z.record(headerName, headerValue).describe('Header name → value'),
  }),
]);

/** For upstreams with a `command`. */
export const stdioCredentials = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('environment').describe('Sets one variable of the child process'),
    name: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not the name of a variable')
      .describe('Name of the variable'),
    value: z.string().min(1).describe('Its value'),
  }),
]);

export type CredentialPiece = z.output<typeof httpCredentials> | z.output<typeof stdioCredentials>;

/** The secret texts of a credential, for scrubbing. */
export function secretsOf(piece: CredentialPiece): string[] {
  return 'value' in piece ? [piece.value] : Object.values(piece.values);
}
