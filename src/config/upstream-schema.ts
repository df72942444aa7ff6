/** One upstream as written under `upstreams:`: what all have, joined with the shape of its transport. */
import { z } from 'zod';
import { duration } from '../scalars.ts';
import type { CredentialPiece } from '../upstream/credentials/schema.ts';
import { TRANSPORTS, type TransportPiece } from '../upstream/kinds.ts';
import type { AnyTransport } from '../upstream/link.ts';
import { nearest } from './nearest.ts';

const KINDS: readonly AnyTransport[] = Object.values(TRANSPORTS);

const globs = z.array(z.string().min(1));
const toolName = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, 'a tool name is 1 to 128 of A-Z a-z 0-9 _ . -');
const hint = z.boolean().exactOptional();

const annotations = z.strictObject({
  readOnlyHint: hint.describe('The tool changes nothing'),
  destructiveHint: hint.describe('The tool may delete or overwrite'),
  idempotentHint: hint.describe('A repeated call changes nothing more'),
  openWorldHint: hint.describe('The tool reaches outside the server'),
});

const renames = z.record(z.string(), toolName).superRefine((names, context) => {
  const taken = new Map<string, string>();
  for (const [from, to] of Object.entries(names)) {
    const other = taken.get(to);
    if (other !== undefined) {
      context.addIssue({
        code: 'custom',
        path: [from],
        message: `the same new name as that of ${JSON.stringify(other)}`,
      });
    }
    taken.set(to, from);
  }
});

const tools = z.strictObject({
  allow: globs.default(['*']).describe('Globs over original names: the tools that are offered'),
  deny: globs.default([]).describe('Globs over original names: tools taken out again'),
  rename: renames.default({}).describe('Original name → new name, to which the prefix is added'),
  describe: z.record(z.string(), z.string()).default({}).describe('Original name → new description'),
  annotations: z
    .record(z.string(), annotations)
    .default({})
    .describe('Original name → annotations that replace those of the server'),
});

const common = {
  timeout: duration.prefault('60s').describe('Longest wait for an answer'),
  labels: z.record(z.string(), z.string()).default({}).describe('Free labels, which policies read'),
  trustAnnotations: z
    .boolean()
    .default(false)
    .describe('Take the annotations of tools (read-only, destructive, …) as the server states them'),
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{0,64}$/, 'a prefix is up to 64 of A-Z a-z 0-9 _ . -')
    .optional()
    .describe('Put before exposed names; without it the id; `""` leaves names and URIs unchanged'),
  uris: globs.default([]).describe('Globs of the URIs that belong to this upstream'),
  tools: tools.prefault({}).describe('Which tools are offered, and under which names'),
  instructions: z
    .string()
    .max(8_192)
    .optional()
    .describe('What models are told about this server in place of its own words; `""` for nothing'),
  instances: z
    .literal('shared')
    .optional()
    .describe(
      'One process or connection for all callers; without it callers who answer questions (elicitation, sampling) get one of their own while they call',
    ),
};

/** `.default` keeps the key optional in the JSON Schema; the transport is always there when the union looks. */
function member({ type, toldBy, shape, credentials }: AnyTransport) {
  const named = z.literal(type);
  return z.strictObject({
    transport:
      toldBy === undefined
        ? named.describe('Tells it from Streamable HTTP')
        : named.default(type).describe(`Told by \`${toldBy}\``),
    ...shape,
    credentials: credentials.optional(),
    ...common,
  });
}

/** A key of a transport tells it; a near miss counts when there is no exact one, so that the message is about that key. */
function inferTransport(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw) || 'transport' in raw) return raw;
  const keys = Object.keys(raw);
  const told = KINDS.filter(({ toldBy }) => toldBy !== undefined);
  const kind =
    told.find(({ toldBy = '' }) => toldBy in raw) ??
    told.find(({ toldBy = '' }) => keys.some((key) => nearest(key, [toldBy]) !== undefined)) ??
    KINDS[0];
  return { transport: kind?.type, ...raw };
}

const members = KINDS.map(member) as [ReturnType<typeof member>];

type Common = z.output<z.ZodObject<typeof common>>;
/** One upstream, read. */
export type UpstreamPiece = TransportPiece & Common & { readonly credentials?: CredentialPiece | undefined };
/** The union is built from the table, so its type comes from the types of the table. */
export const upstream = z.preprocess(
  inferTransport,
  z.discriminatedUnion('transport', members),
) as unknown as z.ZodType<UpstreamPiece>;
