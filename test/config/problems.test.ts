import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ConfigError } from '../../src/config/errors.ts';
import { loadConfig } from '../../src/config/load.ts';
import { dir, load, problemsOf } from './kit.ts';

const SHA = 'a'.repeat(64);
const up = (members: string): string => `version: 1\nupstreams:\n  a: { ${members} }\n`;
const bomb = [
  'a: &a [x, x]',
  ...'bcdefghi'.split('').map((c, i) => `${c}: &${c} [*${'abcdefgh'[i]}, *${'abcdefgh'[i]}]`),
];

/** What is written, and every line that comes back. */
const TABLE: Record<string, [text: string, ...lines: string[]]> = {
  'an empty file': ['', 'gateway.yaml: the file is empty'],
  'comments only': ['# nothing\n', 'gateway.yaml: the file is empty'],
  'a list': ['- a\n', 'gateway.yaml:1:1 expected a map of settings'],
  'a byte order mark': [
    '\uFEFFversion: 1\n',
    'gateway.yaml: the file starts with a byte order mark; save it as UTF-8 without one',
  ],
  'a tab': ['log:\n\tlevel: info\n', 'gateway.yaml:2:1 a tab in the indentation; YAML takes spaces only'],
  'an open bracket': ['version: [1\n', 'gateway.yaml:2:1 wrong indentation'],
  'a doubled key': ['version: 1\nlog: {}\nlog: {}\n', 'gateway.yaml:3:1 log: this key is there twice'],
  'two documents': [
    'version: 1\n---\nversion: 1\n',
    'gateway.yaml:2:1 more than one YAML document in the file',
  ],
  'a tag': ['version: 1\nlog: !env LEVEL\n', 'gateway.yaml:2:6 YAML tags are not used here'],
  'a circle of anchors': ['version: 1\nlog: &x [*x]\n', 'gateway.yaml:2:10 log[0][0]: nested too deeply'],
  'an anchor bomb': [bomb.join('\n'), 'gateway.yaml:4:8 f[1][1][0]: too many aliases'],
  'a missing anchor': ['version: 1\nlog: *x\n', 'gateway.yaml:2:6 log: this alias has no anchor above it'],
  'a key for the prototype': ['version: 1\n__proto__: {}\n', 'gateway.yaml:2:1 this cannot be a key'],
  'no version': ['log: {}\n', 'gateway.yaml:1:1 version: required: expected 1'],
  'another version': ['version: 2\n', 'gateway.yaml:1:10 version: expected 1'],
  'an empty section': ['version: 1\nlog:\n', 'gateway.yaml:2:5 log: expected a map, got nothing'],

  'a mistyped key at the top': [
    'version: 1\nlimts: {}\n',
    'gateway.yaml:2:1 limts: unknown key; did you mean "limits"?',
  ],
  'a mistyped section of security': [
    'version: 1\nauthh: {}\n',
    'gateway.yaml:2:1 authh: unknown key; did you mean "auth"?',
  ],
  'a mistyped command': [
    up('commandd: npx'),
    'gateway.yaml:3:8 upstreams.a.commandd: unknown key; did you mean "command"?',
  ],
  'a mistyped url': [
    up('urll: "https://a.example"'),
    'gateway.yaml:3:8 upstreams.a.urll: unknown key; did you mean "url"?',
  ],
  'a mistyped key in depth': [
    up('command: x, tools: { annotations: { t: { readOnlyHnt: true } } }'),
    'gateway.yaml:3:49 upstreams.a.tools.annotations.t.readOnlyHnt: unknown key; did you mean "readOnlyHint"?',
  ],
  'a key like no other': ['version: 1\n"x y": 1\n', 'gateway.yaml:2:1 ["x y"]: unknown key'],
  'keys of a later version': [
    'version: 1\ntls: {}\nprofiles: {}\nstate: { redis: x }\n',
    'gateway.yaml:2:1 tls: unknown key; not in this version of Gatehouse; end TLS in a proxy in front',
    'gateway.yaml:3:1 profiles: unknown key; not in this version of Gatehouse',
    'gateway.yaml:4:10 state.redis: unknown key; not in this version of Gatehouse',
  ],
  'values of a later version': [
    `version: 1\nworkers: 4\npolicy: { mode: shadow }\n`,
    'gateway.yaml:2:10 workers: expected 1',
    'gateway.yaml:3:17 policy.mode: not in this version of Gatehouse; expected one of "enforce", "off"',
  ],

  'neither command nor url': [
    up('timeout: 3s'),
    'gateway.yaml:3:3 upstreams.a.command: required: an upstream has a "command" (stdio) or a "url" (streamable-http)',
  ],
  'both command and url': [
    up('command: x, url: "https://a.example"'),
    'gateway.yaml:3:20 upstreams.a.url: unknown key; only an upstream without a "command" (streamable-http, sse) has this',
  ],
  'a transport that does not exist': [
    up('transport: websocket, url: "https://a.example"'),
    'gateway.yaml:3:19 upstreams.a.transport: expected one of "stdio", "streamable-http", "sse"',
  ],
  'the older transport without a url': [
    up('transport: sse, command: x'),
    'gateway.yaml:3:3 upstreams.a.url: required',
    'gateway.yaml:3:24 upstreams.a.command: unknown key; only an upstream without a "url" (stdio) has this',
  ],
  'a url of another scheme': [
    up('url: "ftp://a.example"'),
    'gateway.yaml:3:13 upstreams.a.url: expected an http or https URL',
  ],
  'a url with a password': [
    up('url: "https://user:canary@a.example"'),
    'gateway.yaml:3:13 upstreams.a.url: a url carries no user or password; write them as credentials',
  ],
  'a header for a command': [
    up('command: x, credentials: { type: header, value: y }'),
    'gateway.yaml:3:41 upstreams.a.credentials.type: only an upstream with a "url" is sent headers; expected "environment"',
  ],
  'a variable for a url': [
    up('url: "https://a.example", credentials: { type: environment, name: A, value: y }'),
    'gateway.yaml:3:55 upstreams.a.credentials.type: only an upstream with a "command" has an environment; expected one of "header", "headers"',
  ],
  'a header of the protocol': [
    up('url: "https://a.example", credentials: { type: header, name: Mcp-Session-Id, value: y }'),
    'gateway.yaml:3:69 upstreams.a.credentials.name: the gateway sets this header itself; leave it out',
  ],
  'a header value of two lines': [
    up('url: "https://a.example", credentials: { type: header, value: "a\\r\\nX-Admin: 1" }'),
    'gateway.yaml:3:70 upstreams.a.credentials.value: a header value is one line of printable ASCII, not empty',
  ],
  'an id with the separator': [
    'version: 1\nupstreams:\n  a__b: { command: x }\n',
    'gateway.yaml:3:3 upstreams.a__b: an id is lower-case letters, digits and "-", starting with a letter',
  ],
  'an id with another separator': [
    'version: 1\nnaming: { separator: "-" }\nupstreams:\n  a-b: { command: x }\n  c: { command: x, prefix: d-e }\n',
    'gateway.yaml:4:8 upstreams.a-b: the id holds the naming.separator "-", which ends the prefix of exposed names',
    'gateway.yaml:5:28 upstreams.c.prefix: holds the naming.separator "-", which ends the prefix of exposed names',
  ],
  'new names of tools': [
    up('command: x, tools: { rename: { a: "b c", d: e } }'),
    'gateway.yaml:3:42 upstreams.a.tools.rename.a: a tool name is 1 to 128 of A-Z a-z 0-9 _ . -',
  ],
  'the same new name twice': [
    up('command: x, tools: { rename: { d: e, f: e } }'),
    'gateway.yaml:3:48 upstreams.a.tools.rename.f: the same new name as that of "d"',
  ],

  'a quoted boolean': [
    up('command: x, trustAnnotations: "false"'),
    'gateway.yaml:3:38 upstreams.a.trustAnnotations: expected true or false, got text; write true or false, without quotes',
  ],
  'yes for true': [
    up('command: x, trustAnnotations: yes'),
    'gateway.yaml:3:38 upstreams.a.trustAnnotations: expected true or false, got text; write true or false, without quotes',
  ],
  'a number for text': [
    up('command: x, env: { PORT: 08 }'),
    'gateway.yaml:3:33 upstreams.a.env.PORT: expected text, got a number; put it in quotes',
  ],
  'bad limits': [
    'version: 1\nlimits: { body: -1MiB, depth: "64", sessions: 0, streams: 1.5, result: 4MB, sessionIdle: 0s }\n',
    'gateway.yaml:2:17 limits.body: expected a size from 1B to 1GiB, such as 4MiB or 512KiB',
    'gateway.yaml:2:31 limits.depth: expected a number, got text; write it without quotes',
    'gateway.yaml:2:47 limits.sessions: must be at least 1',
    'gateway.yaml:2:59 limits.streams: expected a whole number, got a number',
    'gateway.yaml:2:72 limits.result: expected a size from 1B to 1GiB, such as 4MiB or 512KiB',
    'gateway.yaml:2:90 limits.sessionIdle: expected a duration from 1ms to 24d, such as 250ms, 30s or 5m',
  ],
  'a timer that would fire at once': [
    up('command: x, timeout: 25d'),
    'gateway.yaml:3:29 upstreams.a.timeout: expected a duration from 1ms to 24d, such as 250ms, 30s or 5m',
  ],
  'a port too high': [
    'version: 1\nlisten: 127.0.0.1:65536\n',
    'gateway.yaml:2:9 listen: expected host:port, such as 127.0.0.1:8080 or [::1]:8080',
  ],
  'bad rate limits': [
    'version: 1\nrateLimits: [{ name: a, key: [user], limit: 5 }, { name: b, key: [], limit: 0/m }]\n',
    'gateway.yaml:2:31 rateLimits[0].key[0]: expected one of "principal", "tenant", "upstream", "tool"',
    'gateway.yaml:2:45 rateLimits[0].limit: expected a rate such as 60/m or 10/s',
    'gateway.yaml:2:66 rateLimits[1].key: list at least one',
    'gateway.yaml:2:77 rateLimits[1].limit: expected a rate such as 60/m or 10/s',
  ],
  'a rate limit for no upstream': [
    'version: 1\nrateLimits: [{ name: a, key: [tool], limit: 5/s, match: { upstream: fiels } }]\n',
    'gateway.yaml:2:69 rateLimits[0].match.upstream: there is no upstream with this id',
  ],

  'a public address without keys': [
    'version: 1\nlisten: 0.0.0.0:8080\n',
    'gateway.yaml:2:9 listen: not loopback, so callers must show who they are: add auth.apiKeys, or listen on 127.0.0.1',
    'gateway.yaml:2:9 listen: not loopback, so publicUrl is needed: the URL that clients use',
  ],
  'a public address, and a fault elsewhere': [
    'version: 1\nlisten: "[::]:8080"\npublicUrl: https://gw.example\nlog: { level: loud }\n',
    'gateway.yaml:2:9 listen: not loopback, so callers must show who they are: add auth.apiKeys, or listen on 127.0.0.1',
    'gateway.yaml:4:15 log.level: expected one of "debug", "info", "warn", "error"',
  ],
  'no keys at all': [
    'version: 1\nauth: { apiKeys: [] }\n',
    'gateway.yaml:2:18 auth.apiKeys: list at least one',
  ],
  'a key instead of its hash': [
    'version: 1\nauth: { apiKeys: [{ id: a, sha256: canary }] }\n',
    'gateway.yaml:2:36 auth.apiKeys[0].sha256: expected the SHA-256 of the key as 64 hexadecimal digits',
  ],
  'the hash of nothing': [
    'version: 1\nauth: { apiKeys: [{ id: a, sha256: E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855 }] }\n',
    'gateway.yaml:2:36 auth.apiKeys[0].sha256: this is the SHA-256 of an empty key',
  ],
  'doubled keys': [
    `version: 1\nauth:\n  apiKeys:\n    - { id: a, sha256: ${SHA} }\n    - { id: a, sha256: ${SHA.toUpperCase()} }\n`,
    'gateway.yaml:5:13 auth.apiKeys[1].id: the same id as that of entry 1',
    'gateway.yaml:5:24 auth.apiKeys[1].sha256: the same sha256 as that of entry 1',
  ],
  'one address for two': [
    'version: 1\nlisten: 127.0.0.1:9464\n',
    'gateway.yaml:1:1 admin: the same address as listen; the two are served apart',
  ],
  'a sink twice': [
    'version: 1\naudit: { sinks: [{ type: file, path: a }, { type: file, path: a }] }\n',
    'gateway.yaml:2:63 audit.sinks[1].path: the same path as that of entry 1',
  ],
};

describe('every problem has its place, its path and what to do', () => {
  test.each(Object.entries(TABLE))('%s', async (_name, [text, ...lines]) => {
    expect(await problemsOf(text)).toEqual(lines);
  });
});

describe('files that cannot be read', () => {
  it('says why, with the name it was given', async () => {
    const folder = join(dir, 'folder');
    mkdirSync(folder);
    await expect(loadConfig('no-such.yaml', {})).rejects.toThrow('no-such.yaml: the file does not exist');
    await expect(loadConfig(folder, {})).rejects.toThrow('this is a folder, not a file');
    await expect(problemsOf(Buffer.from([0xff, 0xfe, 0x61, 0]))).resolves.toEqual([
      'gateway.yaml: the file is not UTF-8 text',
    ]);
    await expect(problemsOf(`#${'x'.repeat(1024 ** 2)}`)).resolves.toEqual([
      'gateway.yaml: the file is larger than 1 MiB',
    ]);
  });

  it('stays short on deep nesting and on thousands of faults', async () => {
    const deep = await problemsOf('['.repeat(100_000));
    expect(deep.length).toBeLessThan(10);
    expect(deep[0]).toMatch(/^gateway\.yaml:1:\d+ nested too deeply$/);
    const many = Array.from({ length: 3000 }, (_, index) => `k${index}: 1`).join('\n');
    const lines = await problemsOf(`version: 1\n${many}\n`);
    expect([lines.length, lines.at(-1)]).toEqual([101, 'and 2900 more problems']);
  });
});

it('gives the problems as data too', async () => {
  writeFileSync(join(dir, 'data.yaml'), 'version: 1\nlimts: {}\n');
  const error: unknown = await loadConfig(join(dir, 'data.yaml'), {}).catch((thrown: unknown) => thrown);
  expect((error as ConfigError).problems).toEqual([
    { line: 2, column: 1, path: 'limts', message: 'unknown key; did you mean "limits"?' },
  ]);
});

it('lists the problems of all sections at once', async () => {
  const lines = await problemsOf(
    'version: 1\nlimts: {}\nupstreams:\n  a: { commandd: x, args: ["${env:NOPE}"] }\nlog: { level: loud }\n',
  );
  expect(lines.map((line) => line.split(' ')[1])).toEqual([
    'limts:',
    'upstreams.a.commandd:',
    'upstreams.a.args[0]:',
    'log.level:',
  ]);
});

const CANARY = 'canary\nvalue';
const PLACES = [
  (v: string) => `listen: ${v}`,
  (v: string) => `limits: { body: ${v}, depth: ${v} }`,
  (v: string) => `upstreams: { a: { url: ${v}, credentials: { type: ${v} } } }`,
  (v: string) => `upstreams: { a: { url: ${v}, credentials: { type: header, name: ${v}, value: ${v} } } }`,
  (v: string) => `upstreams: { a: { command: x, transport: ${v}, ${v}: 1 } }`,
  (v: string) => `mcpServers: { a: { url: ${v}, type: ${v}, headers: { A: ${v} } } }`,
  (v: string) => `auth: { apiKeys: [{ id: a, sha256: ${v} }] }`,
  (v: string) => `rateLimits: [{ name: ${v}, key: [${v}], limit: ${v} }]`,
  (v: string) => `log: { level: ${v} }`,
  (v: string) => `policy: { mode: ${v}, deadline: ${v}, paths: ${v} }`,
];

it('never quotes a value that came from a reference', async () => {
  const places = fc.uniqueArray(fc.constantFrom(...PLACES), {
    minLength: 1,
    selector: (place) => place('').split(':')[0],
  });
  await fc.assert(
    fc.asyncProperty(places, async (chosen) => {
      const text = ['version: 1', ...chosen.map((place) => place("'${env:SECRET}'"))].join('\n');
      const lines = await problemsOf(text, { SECRET: CANARY });
      expect(lines.join('\n')).not.toContain('canary');
    }),
    { numRuns: 50 },
  );
});

it('refuses every key with one letter changed', async () => {
  const keys = ['listen', 'upstreams', 'policy', 'rateLimits', 'auth', 'audit', 'limits'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...keys), fc.nat(3), async (key, at) => {
      const typo = `${key.slice(0, at)}_${key.slice(at + 1)}`;
      expect(await problemsOf(`version: 1\n${typo}: {}\n`)).toEqual([
        `gateway.yaml:2:1 ${typo}: unknown key; did you mean "${key}"?`,
      ]);
    }),
    { numRuns: 30 },
  );
});

it('takes a file of the smallest size', async () => {
  await expect(load('version: 1')).resolves.toBeDefined();
});
