import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { dir, load, problemsOf } from './kit.ts';

const label = (text: string): string =>
  `version: 1\nupstreams: { a: { command: x, labels: { l: ${JSON.stringify(text)} } } }\n`;

async function resolved(text: string, env: Record<string, string> = {}): Promise<string | undefined> {
  const { config } = await load(label(text), env);
  return config.upstreams[0]!.labels['l'];
}

function secretFile(name: string, content: string | Buffer, mode = 0o600): string {
  const path = join(dir, name);
  writeFileSync(path, content, { mode });
  chmodSync(path, mode);
  return path;
}

const ENV = { X: 'value', EMPTY: '', ODD: 'a: b # c\n- d', REF: '${X}' };

describe('what a reference stands for', () => {
  test.each([
    ['${env:X}', 'value'],
    ['${X}', 'value'],
    ['a-${X}-${env:X}', 'a-value-value'],
    ['${X:-other}', 'value'],
    ['${NONE:-other}', 'other'],
    ['${env:NONE:-a:-b}', 'a:-b'],
    ['${EMPTY:-other}', 'other'],
    ['${NONE:-}', ''],
    ['${workspaceFolder}/x', `${dir}/x`],
    ['$${X}', '${X}'],
    ['$X', '$X'],
    ['${ODD}', 'a: b # c\n- d'],
    ['${REF}', '${X}'],
  ])('%s', async (text, expected) => {
    expect(await resolved(text, ENV)).toBe(expected);
  });

  it('reads files by absolute path and from the folder of the configuration', async () => {
    const path = secretFile('token', 'one\ntwo\n');
    mkdirSync(join(dir, 'sub'), { recursive: true });
    secretFile('sub/token', 'windows\r\n');
    expect(await resolved(`\${file:${path}}`)).toBe('one\ntwo');
    expect(await resolved('${file:./sub/token}')).toBe('windows');
  });
});

const FORMS = 'write ${env:NAME}, ${env:NAME:-default} or ${file:/path}, and $${ for the characters "${"';

describe('what cannot be resolved names the key and the reference', () => {
  test.each([
    ['${env:NONE}', 'the environment variable NONE is not set'],
    ['${NONE}', 'the environment variable NONE is not set'],
    ['${EMPTY}', 'the environment variable EMPTY is empty'],
    ['${constructor}', 'the environment variable constructor is not set'],
    ['${X:-${Y}}', 'a default cannot hold another reference'],
    ['${input:token}', 'the gateway cannot ask for an ${input:…}; use ${env:NAME} or ${file:/path}'],
    ['${X', `"\${" without "}"; ${FORMS}`],
    ['${}', `this is no reference; ${FORMS}`],
    ['${X:?message}', `this is no reference; ${FORMS}`],
    ['${file:./none}', './none: the file does not exist'],
    ['${file:.}', '.: this is a folder, not a file'],
  ])('%s', async (text, message) => {
    expect(await problemsOf(label(text), ENV)).toEqual([
      `gateway.yaml:2:44 upstreams.a.labels.l: ${message}`,
    ]);
  });

  test('in url, args, env and headers alike', async () => {
    const lines = await problemsOf(`version: 1
upstreams:
  a: { command: "\${A}", args: ["\${B}"], env: { E: "\${C}" } }
  b: { url: "https://\${D}/mcp", credentials: { type: header, value: "Bearer \${E}" } }
`);
    expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'upstreams.a.command: the environment variable A is not set',
      'upstreams.a.args[0]: the environment variable B is not set',
      'upstreams.a.env.E: the environment variable C is not set',
      'upstreams.b.url: the environment variable D is not set',
      'upstreams.b.credentials.value: the environment variable E is not set',
    ]);
  });

  test('files that are empty, binary or too large', async () => {
    secretFile('empty', '\n');
    secretFile('binary', Buffer.from([0xc3, 0x28]));
    secretFile('large', 'x'.repeat(1024 ** 2 + 1));
    const reasons = ['empty', 'binary', 'large'].map((name) => problemsOf(label(`\${file:./${name}}`)));
    expect((await Promise.all(reasons)).map(([line]) => line?.split('labels.l: ')[1])).toEqual([
      'the file ./empty is empty',
      './binary: the file is not UTF-8 text',
      './large: the file is larger than 1 MiB',
    ]);
  });

  test('a value that would split a header', async () => {
    const text =
      'version: 1\nupstreams: { a: { url: "https://a.example", credentials: { type: header, value: "${X}" } } }\n';
    expect(await problemsOf(text, { X: 'canary\r\nX-Admin: 1' })).toEqual([
      'gateway.yaml:2:81 upstreams.a.credentials.value: a header value is one line of printable ASCII, not empty',
    ]);
  });
});

test.skipIf(process.platform === 'win32')('a secret file everyone can read gives a warning', async () => {
  secretFile('open', 'value', 0o644);
  const { config } = await load(label('${file:./open}'));
  expect(config.warnings).toEqual([
    'upstreams.a.labels.l: every user of this machine can read ./open; chmod o-r takes that away.',
  ]);
});

describe('secrets, for scrubbing', () => {
  it('are what came from variables and files', async () => {
    secretFile('token', 'from-file\n');
    const { secrets } = await load(label('${A}-${file:./token}-${B:-fallback}'), { A: 'from-env' });
    expect(secrets).toEqual(['from-env', 'from-file']);
  });

  test.each([
    [
      'url: "https://a.example", credentials: { type: header, value: "Bearer abcdef" }',
      ['Bearer abcdef', 'abcdef'],
    ],
    [
      'url: "https://a.example", credentials: { type: headers, values: { A: aaaa, B: bbbb } }',
      ['aaaa', 'bbbb'],
    ],
    ['url: "https://a.example/mcp?apiKey=qwerty&page=first"', ['qwerty']],
    ['command: x, credentials: { type: environment, name: T, value: abcdef }', ['abcdef']],
    ['command: x, env: { GITHUB_TOKEN: tttt, DB_PASSWORD: pppp, LEVEL: debug }', ['tttt', 'pppp']],
    ['command: x, args: [--api-key, kkkk, --token=tttt, --level, high]', ['kkkk', 'tttt']],
    ['command: x, args: [--header, "Authorization: Bearer bbbb"]', ['Bearer bbbb', 'bbbb']],
    ['command: x, env: { TOKEN: abc }', []],
  ])('are the literal ones of %s', async (members, expected) => {
    const { secrets } = await load(`version: 1\nupstreams: { a: { ${members} } }\n`);
    expect(secrets).toEqual(expected);
  });
});
