import { describe, expect, it, test } from 'vitest';
import { slug } from '../../src/config/host-servers.ts';
import { load, problemsOf } from './kit.ts';

/** JSON is YAML: what a host wrote is pasted under one key. */
const paste = (servers: object): string => `version: 1\nmcpServers: ${JSON.stringify(servers)}\n`;

describe('the shapes of hosts', () => {
  test('Claude Desktop: command, args, env', async () => {
    const { config, secrets } = await load(
      paste({
        'My Files': {
          command: 'npx',
          args: ['-y', 'some-server', '/data'],
          env: { DEBUG: true, PORT: 8080, LEVEL: 'info' },
        },
        remote: {
          command: 'npx',
          args: ['-y', 'mcp-remote', 'https://a.example/mcp', '--header', 'Authorization: Bearer abcdef'],
        },
      }),
    );
    expect(config.upstreams).toMatchObject([
      {
        id: 'my-files',
        title: 'My Files',
        prefix: 'my-files',
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'some-server', '/data'],
        env: { DEBUG: 'true', PORT: '8080', LEVEL: 'info' },
      },
      { id: 'remote', transport: 'stdio', command: 'npx' },
    ]);
    expect(config.upstreams[1]).not.toHaveProperty('title');
    expect(secrets).toContain('abcdef');
  });

  test('Claude Code: type, url, headers, ${VAR} and ${VAR:-default}', async () => {
    const { config } = await load(
      paste({
        local: { type: 'stdio', command: 'x', args: ['${LEVEL:-info}'] },
        api: { type: 'http', url: '${BASE}/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
        events: { type: 'sse', url: 'https://e.example/sse' },
        older: {
          transport: {
            type: 'http',
            url: 'https://c.example',
            headers: { 'X-Key': 'kkkk', 'X-Org': 'acme' },
          },
        },
      }),
      { BASE: 'https://b.example', TOKEN: 'tttt' },
    );
    expect(config.upstreams).toMatchObject([
      { transport: 'stdio', args: ['info'] },
      {
        transport: 'streamable-http',
        url: 'https://b.example/mcp',
        credentials: { type: 'header', name: 'Authorization', value: 'Bearer tttt' },
      },
      { transport: 'sse', url: 'https://e.example/sse' },
      {
        url: 'https://c.example',
        credentials: { type: 'headers', values: { 'X-Key': 'kkkk', 'X-Org': 'acme' } },
      },
    ]);
  });

  test('Cursor and others: no type, ${env:NAME}, other words for url', async () => {
    const { config } = await load(
      paste({
        a: { url: 'https://a.example', headers: { 'X-Key': '${env:KEY}' } },
        b: { serverUrl: 'https://b.example' },
        c: { httpUrl: 'https://c.example', includeTools: ['read'], excludeTools: ['write'] },
        d: { command: '${workspaceFolder}/server', disabledTools: ['drop'] },
      }),
      { KEY: 'kkkk' },
    );
    expect(config.upstreams).toMatchObject([
      { url: 'https://a.example', credentials: { name: 'X-Key', value: 'kkkk' } },
      { url: 'https://b.example' },
      { url: 'https://c.example', tools: { allow: ['read'], deny: ['write'] } },
      { command: `${config.dir}/server`, tools: { allow: ['*'], deny: ['drop'] } },
    ]);
  });

  test('VS Code: another key, and inputs that the gateway cannot ask for', async () => {
    expect(
      await problemsOf(`version: 1
servers: {}
inputs: []
mcpServers:
  a: { type: stdio, command: x, env: { TOKEN: "\${input:token}" }, envFile: .env }
`),
    ).toEqual([
      'gateway.yaml:2:1 servers: unknown key; put the entries of a host under "mcpServers"',
      'gateway.yaml:3:1 inputs: unknown key; the gateway cannot ask for values; use ${env:NAME} or ${file:/path} where they are needed',
      'gateway.yaml:5:47 mcpServers.a.env.TOKEN: the gateway cannot ask for an ${input:…}; use ${env:NAME} or ${file:/path}',
      'gateway.yaml:5:67 mcpServers.a.envFile: unknown key; env files are not read; write the variables under "env", as ${env:NAME}',
    ]);
  });
});

it('warns once for each server of members that do nothing here', async () => {
  const { config } = await load(
    paste({
      'a b': { command: 'x', alwaysAllow: ['t'], timeout: 30, description: 'd' },
      c: { command: 'x', autoApprove: [] },
    }),
  );
  expect(config.warnings).toEqual([
    'mcpServers["a b"]: alwaysAllow, description, timeout of the host have no effect here.',
    'mcpServers.c: autoApprove of the host has no effect here.',
  ]);
});

it('leaves a disabled server out, with what it refers to', async () => {
  const { config } = await load(
    paste({
      a: { command: '${NONE}', disabled: true },
      b: { command: 'x', enabled: false },
      c: { command: 'x', disabled: false },
    }),
  );
  expect(config.upstreams.map(({ id }) => id)).toEqual(['c']);
  expect(config.warnings).toEqual([
    'mcpServers.a is disabled and left out.',
    'mcpServers.b is disabled and left out.',
  ]);
});

test.each([
  [{ a: { commandd: 'x' } }, 'mcpServers.a.commandd: unknown key; did you mean "command"?'],
  [{ a: { command: 'x', enabledd: false } }, 'mcpServers.a.enabledd: unknown key; did you mean "enabled"?'],
  [
    { a: { command: 'x', disabled: 'true' } },
    'mcpServers.a.disabled: expected true or false, got text; write true or false, without quotes',
  ],
  [
    { a: { command: 'x', env: { A: null } } },
    'mcpServers.a.env.A: expected text, a number, or true or false',
  ],
  [
    { a: { type: 'ws', url: 'https://a.example' } },
    'mcpServers.a.type: expected one of "stdio", "http", "streamable-http", "streamableHttp", "sse"',
  ],
  [{ a: { serverUrl: 'a.example' } }, 'mcpServers.a.serverUrl: expected an http or https URL'],
  [
    { a: { url: 'https://a.example', headers: { Accept: 'text/html' } } },
    'mcpServers.a.headers.Accept: the gateway sets this header itself; leave it out',
  ],
  [
    { a: { description: 'nothing to start' } },
    'mcpServers.a.command: required: an upstream has a "command" (stdio) or a "url" (streamable-http)',
  ],
  [
    { 'A b': { command: 'x' }, 'a-b': { command: 'y' } },
    'mcpServers.a-b: its id is "a-b", as that of mcpServers["A b"]; rename one',
  ],
])('%j is refused', async (servers, message) => {
  const lines = await problemsOf(paste(servers));
  expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([message]);
});

it('refuses an id that both maps have', async () => {
  const lines = await problemsOf(
    'version: 1\nupstreams: { files: { command: x } }\nmcpServers: { Files: { command: y } }\n',
  );
  expect(lines).toEqual([
    'gateway.yaml:3:22 mcpServers.Files: its id is "files", as that of upstreams.files; rename one',
  ]);
});

test.each([
  ['My Server', 'my-server'],
  ['github/github-mcp', 'github-github-mcp'],
  ['Überblick', 'uberblick'],
  ['3d-print', 'server-3d-print'],
  ['__x__', 'x'],
])('the id of %j is %s', (name, id) => {
  expect(slug(name)).toBe(id);
});

test('names without Latin letters get ids of their own', () => {
  expect(slug('文件')).toMatch(/^server-[0-9a-f]{8}$/);
  expect(slug('文件')).not.toBe(slug('日历'));
});
