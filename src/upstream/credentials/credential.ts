/** What a configured credential adds to the way out. Only this folder looks into a credential. */
import type { CredentialPiece } from './schema.ts';

export interface Credential {
  readonly headers: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

const NONE: Credential = { headers: {}, env: {} };

/** The table of kinds: a new one is a schema and a line here. */
const KINDS: {
  readonly [T in CredentialPiece['type']]: (piece: Extract<CredentialPiece, { type: T }>) => Credential;
} = {
  header: ({ name, value }) => ({ headers: { [name.toLowerCase()]: value }, env: {} }),
  headers: ({ values }) => ({
    headers: Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value])),
    env: {},
  }),
  environment: ({ name, value }) => ({ headers: {}, env: { [name]: value } }),
};

export function credentialOf(piece: CredentialPiece | undefined): Credential {
  if (piece === undefined) return NONE;
  const kind = KINDS[piece.type] as (piece: CredentialPiece) => Credential;
  return kind(piece);
}
