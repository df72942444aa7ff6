/** gateway.yaml as one zod schema: its input side is the JSON Schema and the reference, its output the typed pieces. */
import { z } from 'zod';
import { sinkSchema } from '../audit/kinds.ts';
import { address, duration, rate, size, upstreamId } from '../scalars.ts';
import { hostServer } from './host-servers.ts';
import { RULES } from './rules.ts';
import { upstream } from './upstream-schema.ts';

const MILLION = 1_000_000;
/** SHA-256 of no bytes at all: a key that was empty when it was hashed. */
const EMPTY_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Refuses a list in which two entries have the same value of a field; messages name neither. */
function distinct<T>(field: string & keyof T) {
  return (entries: readonly T[], context: z.core.$RefinementCtx<readonly T[]>): void => {
    entries.forEach((entry, index) => {
      const first = entries.findIndex((other) => other[field] === entry[field]);
      if (first === index || entry[field] === undefined) return;
      context.addIssue({
        code: 'custom',
        path: [index, field],
        message: `the same ${field} as that of entry ${first + 1}`,
      });
    });
  };
}

const apiKey = z.strictObject({
  id: z.string().min(1).describe('Who the caller is, in policies and in the audit'),
  sha256: z
    .string()
    .regex(/^[0-9A-Fa-f]{64}$/, {
      error: 'expected the SHA-256 of the key as 64 hexadecimal digits',
      abort: true,
    })
    .transform((digest) => digest.toLowerCase())
    .refine((digest) => digest !== EMPTY_DIGEST, 'this is the SHA-256 of an empty key')
    .describe('SHA-256 of the key, as 64 hexadecimal digits'),
  roles: z.array(z.string().min(1)).default([]).describe('Roles, which policies read'),
  groups: z.array(z.string().min(1)).default([]).describe('Groups, which policies read'),
  tenant: z.string().min(1).optional().describe('Tenant, which policies and limits read'),
});

const rateLimit = z.strictObject({
  name: z.string().min(1).describe('Name, in answers, metrics and the audit'),
  key: z
    .array(z.enum(['principal', 'tenant', 'upstream', 'tool']))
    .min(1)
    .describe('Each combination of these has a count of its own'),
  match: z
    .strictObject({
      upstream: z.string().min(1).optional().describe('Glob over upstream ids'),
      tool: z.string().min(1).optional().describe('Glob over original tool names'),
    })
    .default({})
    .describe('Which requests count; without it all'),
  limit: rate.describe('Requests per period'),
  burst: z
    .int()
    .min(1)
    .max(MILLION)
    .optional()
    .describe('Requests at once; without it the count of the limit'),
});

const sections = z.strictObject({
  version: z.literal(1).describe('Version of this format'),
  listen: address.prefault('127.0.0.1:8080').describe('Where clients connect: `/mcp`'),
  admin: address
    .prefault('127.0.0.1:9464')
    .describe('Where operators look: `/metrics`, `/healthz`, `/readyz`, `/status`'),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('What clients see; needed when `listen` is not loopback'),
  hosts: z
    .array(z.string().regex(/^[^\s/@]+$/, 'expected a host name, without scheme or path'))
    .min(1)
    .optional()
    .describe(
      'Accepted `Host` names; without it that of `publicUrl`, and loopback names when `listen` is loopback',
    ),
  origins: z
    .array(z.string().regex(/^https?:\/\/[^\s/]+$/, 'expected an origin such as https://app.example'))
    .default([])
    .describe('Web origins that may call the gateway from a browser'),
  workers: z.literal(1).optional().describe('Number of processes'),
  legacySse: z
    .boolean()
    .default(false)
    .describe('Serve the HTTP+SSE transport of 2024-11-05 too, for old hosts: `/sse`'),
  shutdown: z
    .strictObject({ grace: duration.prefault('25s').describe('How long running calls may finish') })
    .prefault({})
    .describe('What happens at SIGTERM'),
  limits: z
    .strictObject({
      body: size.prefault('4MiB').describe('Largest request'),
      depth: z.int().min(8).max(512).default(64).describe('Deepest nesting of a request'),
      sessions: z.int().min(1).max(MILLION).default(2000).describe('Sessions at a time'),
      streams: z.int().min(1).max(MILLION).default(10_000).describe('Open event streams at a time'),
      result: size.prefault('32MiB').describe('Largest message of an upstream'),
      sessionIdle: duration.prefault('30m').describe('Idle time after which a session ends'),
    })
    .prefault({})
    .describe('What one gateway bears'),
  upstreams: z.record(upstreamId, upstream).default({}).describe('The servers, by id'),
  mcpServers: z
    .record(z.string().min(1, 'a server needs a name'), hostServer)
    .default({})
    .describe('More servers, as hosts write them; the id is made from the name'),
  naming: z
    .strictObject({
      separator: z
        .string()
        .regex(/^[A-Za-z0-9_.-]{1,8}$/, 'a separator is 1 to 8 of A-Z a-z 0-9 _ . -')
        .default('__')
        .describe('Between the prefix and the original name'),
      maxLength: z
        .int()
        .min(16)
        .max(128)
        .default(64)
        .describe('Longest exposed name; longer ones are shortened'),
    })
    .prefault({})
    .describe('How exposed names are made'),
  auth: z
    .strictObject({
      apiKeys: z
        .array(apiKey)
        .min(1)
        .superRefine(distinct('id'))
        .superRefine(distinct('sha256'))
        .describe('The keys; a caller sends one as `Authorization: Bearer KEY` or `X-API-Key: KEY`'),
    })
    .optional()
    .describe('Who may call; without it anyone, on loopback only'),
  policy: z
    .strictObject({
      mode: z.enum(['enforce', 'off']).default('enforce').describe('`off` allows everything'),
      paths: z.array(z.string().min(1)).min(1).default(['./policies']).describe('Folders and files of Rego'),
      deadline: duration.prefault('50ms').describe('Longest evaluation; longer is denied'),
      queue: duration
        .prefault('1s')
        .describe('Longest wait for an evaluation; longer is answered as overloaded'),
      maxInput: size.prefault('1MiB').describe('Largest input of an evaluation'),
    })
    .prefault({})
    .describe('What callers may do'),
  rateLimits: z.array(rateLimit).superRefine(distinct('name')).default([]).describe('How often'),
  audit: z
    .strictObject({
      sinks: z
        .array(sinkSchema)
        .superRefine(distinct<z.output<typeof sinkSchema> & { path?: string }>('path'))
        .default([{ type: 'file', path: './audit/gatehouse.jsonl' }])
        .describe('Where records go'),
      arguments: z
        .enum(['none', 'keys', 'masked', 'full'])
        .default('masked')
        .describe('What a record holds of the arguments: nothing, keys only, values without secrets, or all'),
      queue: z
        .int()
        .min(1)
        .max(MILLION)
        .default(10_000)
        .describe('Records a sink may hold before it drops new ones'),
    })
    .prefault({})
    .describe('The record of every attempt'),
  state: z
    .strictObject({
      dir: z.string().min(1).default('./state').describe('Folder of what must survive a restart'),
    })
    .prefault({})
    .describe('What the gateway keeps'),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('Least level written'),
    })
    .prefault({})
    .describe('The log on stderr'),
});
export type Sections = z.output<typeof sections>;

/** A rule runs when the sections it reads are right, so that a wrong value elsewhere hides nothing. */
export const schema = sections.superRefine(
  (file, context) => {
    const wrong = new Set(context.issues.map(({ path }) => path?.[0]));
    const runnable = RULES.filter(({ reads }) => !reads.some((section) => wrong.has(section)));
    for (const { check } of runnable) {
      check(file, (path, message) => context.addIssue({ code: 'custom', path, message }));
    }
  },
  { when: () => true },
);
