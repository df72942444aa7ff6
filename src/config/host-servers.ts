/** Servers as hosts write them under `mcpServers`: each member is used, translated, or ignored with a warning. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { headerName, headerValue } from '../upstream/credentials/schema.ts';
import { serverUrl } from '../upstream/streamable-http-schema.ts';
import { pathText } from './errors.ts';
import { upstream } from './upstream-schema.ts';

const TRANSPORTS = {
  stdio: 'stdio',
  http: 'streamable-http',
  'streamable-http': 'streamable-http',
  streamableHttp: 'streamable-http',
  sse: 'sse',
} as const;

const transport = z.enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse']).optional();
const url = serverUrl.optional();
const names = z.array(z.string().min(1)).optional();
const scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected text, a number, or true or false',
});

const USED = {
  command: z.string().min(1).optional().describe('Program to start'),
  args: z.array(z.string()).optional().describe('Its arguments'),
  env: z.record(z.string(), scalar).optional().describe('Its variables; numbers and booleans become text'),
  cwd: z.string().min(1).optional().describe('Its working folder'),
  url: url.describe('Endpoint of a remote server'),
  serverUrl: url.describe('The same as `url`'),
  httpUrl: url.describe('The same as `url`'),
  headers: z.record(headerName, headerValue).optional().describe('HTTP headers; they become the credentials'),
  type: transport.describe('Transport; told by `command` or `url` when absent'),
  transport: transport.describe('The same as `type`'),
  disabled: z.boolean().optional().describe('`true` leaves the server out'),
  enabled: z.boolean().optional().describe('`false` leaves the server out'),
  tools: names.describe('The tools that are offered'),
  includeTools: names.describe('The same as `tools`'),
  excludeTools: names.describe('Tools taken out again'),
  disabledTools: names.describe('The same as `excludeTools`'),
};

/** Members that steer the host's own windows and questions, or a clock whose unit differs from host to host. */
const IGNORED = [
  'alwaysAllow',
  'autoApprove',
  'description',
  'dev',
  'displayName',
  'gallery',
  'icon',
  'iconUrl',
  'metadata',
  'name',
  'provider',
  'tags',
  'timeout',
  'trust',
  'version',
] as const;

const ignored = Object.fromEntries(
  IGNORED.map((name) => [name, z.unknown().optional().describe('Of the host; ignored with a warning')]),
);

type HostServer = z.output<z.ZodObject<typeof USED>>;

function toUpstream(host: HostServer): Record<string, unknown> {
  const type = host.type ?? host.transport;
  const members = {
    transport: type === undefined ? undefined : TRANSPORTS[type],
    command: host.command,
    args: host.args,
    env: host.env && mapValues(host.env, String),
    cwd: host.cwd,
    url: host.url ?? host.serverUrl ?? host.httpUrl,
    credentials: toCredentials(host.headers ?? {}),
    tools: present({ allow: host.tools ?? host.includeTools, deny: host.excludeTools ?? host.disabledTools }),
  };
  return present(members);
}

function toCredentials(headers: Readonly<Record<string, string>>): unknown {
  const [first, ...more] = Object.entries(headers);
  if (first === undefined) return undefined;
  const [name, value] = first;
  return more.length === 0 ? { type: 'header', name, value } : { type: 'headers', values: headers };
}

function present(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function mapValues<T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

/** An older form nests transport, url and headers under `transport`. */
function flatten(raw: unknown): unknown {
  if (!isMap(raw) || !isMap(raw['transport'])) return raw;
  const { transport: nested, ...rest } = raw;
  return { ...(nested as object), ...rest };
}

/** One server of a host, read into an upstream. */
export const hostServer = z
  .preprocess(flatten, z.strictObject({ ...USED, ...ignored }))
  .transform((host): unknown => toUpstream(host))
  .pipe(upstream);

/** Takes the servers out that their host has switched off, so that nothing they refer to need exist. */
export function withoutDisabled(file: Readonly<Record<string, unknown>>) {
  const servers = file['mcpServers'];
  if (!isMap(servers)) return { file, warnings: [] };
  const off = ([, server]: [string, unknown]) =>
    isMap(server) && (server['disabled'] === true || server['enabled'] === false);
  const [disabled, enabled] = [
    Object.entries(servers).filter(off),
    Object.entries(servers).filter((e) => !off(e)),
  ];
  return {
    file: { ...file, mcpServers: Object.fromEntries(enabled) },
    warnings: disabled.map(([name]) => `${pathText(['mcpServers', name])} is disabled and left out.`),
  };
}

/** One sentence for each server with members that have no effect here. */
export function ignoredMembers(file: Readonly<Record<string, unknown>>): string[] {
  const servers = file['mcpServers'];
  if (!isMap(servers)) return [];
  return Object.entries(servers).flatMap(([name, server]) => {
    const members = IGNORED.filter((member) => isMap(server) && member in server);
    const path = pathText(['mcpServers', name]);
    return members.length === 0
      ? []
      : [
          `${path}: ${members.join(', ')} of the host ${members.length === 1 ? 'has' : 'have'} no effect here.`,
        ];
  });
}

/** The id of a server by its free name: "My Server" → "my-server"; names without Latin letters get a digest. */
export function slug(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const text = words.filter((word) => word !== '').join('-');
  if (text === '') return `server-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
  return /^[a-z]/.test(text) ? text : `server-${text}`;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
