import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { dir, load } from './kit.ts';

const MiB = 1024 ** 2;

it('fills every default in', async () => {
  const { config, secrets } = await load(
    'version: 1\nupstreams: { a: { command: x }, b: { url: "https://b.example/mcp" } }\n',
  );
  const common = {
    timeout: 60_000,
    labels: {},
    trustAnnotations: false,
    uris: [],
    tools: { allow: ['*'], deny: [], rename: {}, describe: {}, annotations: {} },
  };
  expect(config).toEqual({
    file: join(dir, 'gateway.yaml'),
    dir,
    listen: { host: '127.0.0.1', port: 8080 },
    admin: { host: '127.0.0.1', port: 9464 },
    legacySse: false,
    hosts: ['127.0.0.1', 'localhost', '[::1]'],
    origins: [],
    shutdown: { grace: 25_000 },
    limits: {
      body: 4 * MiB,
      depth: 64,
      sessions: 2000,
      streams: 10_000,
      result: 32 * MiB,
      sessionIdle: 1_800_000,
    },
    upstreams: [
      {
        ...common,
        id: 'a',
        prefix: 'a',
        transport: 'stdio',
        command: 'x',
        args: [],
        env: {},
        inheritEnv: [],
        cwd: dir,
      },
      { ...common, id: 'b', prefix: 'b', transport: 'streamable-http', url: 'https://b.example/mcp' },
    ],
    naming: { separator: '__', maxLength: 64 },
    policy: { mode: 'enforce', paths: [join(dir, 'policies')], deadline: 50, queue: 1000, maxInput: MiB },
    rateLimits: [],
    audit: {
      sinks: [{ type: 'file', path: join(dir, 'audit/gatehouse.jsonl') }],
      arguments: 'masked',
      queue: 10_000,
    },
    state: { dir: join(dir, 'state') },
    log: { level: 'info' },
    warnings: [],
  });
  expect(secrets).toEqual([]);
});

it('reads every key there is', async () => {
  const { config } = await load(`
version: 1
workers: 1
legacySse: true
listen: 0.0.0.0:80
admin: "[::1]:9000"
publicUrl: https://gw.example/base
origins: [https://app.example]
shutdown: { grace: 500ms }
upstreams:
  a:
    transport: stdio
    command: ./server
    cwd: work
    inheritEnv: [HTTPS_PROXY, UV_*]
    credentials: { type: environment, name: TOKEN, value: abcd }
    instances: shared
    prefix: ""
    uris: ["file:///**"]
    tools:
      deny: [delete_*]
      rename: { find: search }
      annotations: { find: { readOnlyHint: true } }
auth: { apiKeys: [{ id: alice, sha256: ${'A'.repeat(64)}, tenant: acme }] }
policy: { mode: off, paths: [/etc/policies, more], deadline: 1s, queue: 1m, maxInput: 512KiB }
rateLimits: [{ name: r, key: [tenant, tool], match: { upstream: a, tool: "x*" }, limit: 10/s, burst: 3 }]
audit: { sinks: [{ type: stdout }], arguments: none, queue: 5 }
state: { dir: /var/state }
log: { level: debug }
`);
  expect(config).toMatchObject({
    admin: { host: '::1', port: 9000 },
    hosts: ['gw.example'],
    origins: ['https://app.example'],
    shutdown: { grace: 500 },
    upstreams: [
      {
        cwd: join(dir, 'work'),
        prefix: '',
        credentials: { type: 'environment', name: 'TOKEN', value: 'abcd' },
        tools: {
          allow: ['*'],
          deny: ['delete_*'],
          rename: { find: 'search' },
          annotations: { find: { readOnlyHint: true } },
        },
      },
    ],
    auth: { apiKeys: [{ id: 'alice', sha256: 'a'.repeat(64), roles: [], groups: [], tenant: 'acme' }] },
    policy: {
      mode: 'off',
      paths: ['/etc/policies', join(dir, 'more')],
      deadline: 1000,
      queue: 60_000,
      maxInput: 512 * 1024,
    },
    rateLimits: [
      {
        name: 'r',
        key: ['tenant', 'tool'],
        match: { upstream: 'a', tool: 'x*' },
        limit: { count: 10, per: 1000 },
        burst: 3,
      },
    ],
    audit: { sinks: [{ type: 'stdout' }], arguments: 'none', queue: 5 },
    state: { dir: '/var/state' },
    log: { level: 'debug' },
    warnings: ['policy.mode: off allows every call.'],
  });
  expect(Object.keys(config)).not.toContain('workers');
  expect(config.upstreams[0]!.instances).toBe('shared');
});

it('freezes all of it', async () => {
  const { config } = await load('version: 1\nupstreams: { a: { command: x, labels: { b: c } } }\n');
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(frozen));
  expect(frozen(config)).toBe(true);
});

test.each([
  ['listen: 127.8.9.1:80', ['127.0.0.1', 'localhost', '[::1]']],
  [
    'listen: "[::1]:80"\npublicUrl: https://GW.example:8443/x',
    ['gw.example', '127.0.0.1', 'localhost', '[::1]'],
  ],
  ['hosts: [GW.example]', ['gw.example']],
])('hosts of %j', async (lines, hosts) => {
  const { config } = await load(`version: 1\n${lines}\n`);
  expect(config.hosts).toEqual(hosts);
});

describe('warnings', () => {
  test.each([
    [
      'admin: 0.0.0.0:9464',
      'admin: whoever reaches 0.0.0.0:9464 can read metrics and status; keep it off public networks.',
    ],
    ['audit: { sinks: [] }', 'audit.sinks is empty: no call is recorded.'],
    ['upstreams: {}', 'There are no upstreams: clients will see an empty server.'],
  ])('%s', async (line, warning) => {
    const { config } = await load(`version: 1\n${line}\n`);
    expect(config.warnings).toContain(warning);
  });
});

it('follows aliases', async () => {
  const { config } = await load('version: 1\nupstreams:\n  a: &a { command: x, timeout: 3s }\n  b: *a\n');
  expect(config.upstreams.map(({ id, timeout }) => [id, timeout])).toEqual([
    ['a', 3000],
    ['b', 3000],
  ]);
});

test('a YAML 1.1 directive does not turn words into booleans', async () => {
  const { config } = await load(
    '%YAML 1.1\n---\nversion: 1\nupstreams: { a: { command: x, labels: { on: yes } } }\n',
  );
  expect(config.upstreams[0]!.labels).toEqual({ on: 'yes' });
});
