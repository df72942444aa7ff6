/** The package as a user gets it: packed, installed into an empty folder without install scripts, started, called, ended. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { legacyClient, ROOT, temporaryFolder } from '../e2e/kit.ts';
import { PATH, run, start } from './process.ts';

const SERVER = 'echo-server.js';
const CONFIG = `version: 1
listen: 127.0.0.1:0
admin: 127.0.0.1:0
upstreams:
  echo: { command: ${JSON.stringify(process.execPath)}, args: [${SERVER}] }
policy: { paths: [./rules] }
`;
const POLICY = `package gateway

allow if input.target.name == "say"
`;

const dir = temporaryFolder({ 'gateway.yaml': CONFIG, 'rules/gateway.rego': POLICY, 'package.json': '{}' });
const installed = join(dir, 'node_modules/mcp-gatehouse');
const command = join(dir, 'node_modules/.bin/gatehouse');

beforeAll(() => {
  copyFileSync(join(ROOT, 'test/packaging', SERVER), join(dir, SERVER));
  run('npm', ['pack', '--pack-destination', dir], ROOT);
  const packed = readdirSync(dir).find((file) => file.endsWith('.tgz'))!;
  run('npm', ['install', '--ignore-scripts', '--prefer-offline', `./${packed}`], dir);
}, 180_000);

describe('the installed package', () => {
  it('serves a policy, an upstream and a client, and ends on SIGTERM', async () => {
    const gateway = start(command, ['serve'], { cwd: dir, env: { ...process.env, PATH } });
    const client = await legacyClient(await gateway.saw(/serving (\S+)/));
    const result = await client.callTool({ name: 'echo__say', arguments: { text: '你好' } });
    expect(result.content).toEqual([{ type: 'text', text: '你好' }]);
    await client.close();
    expect(await gateway.stop()).toBe(0);
    expect(readFileSync(join(dir, 'audit/gatehouse.jsonl'), 'utf8')).toContain('"outcome":"ok"');
  }, 60_000);

  it('brings the Rego toolchain', () => {
    expect(run(command, ['policy', 'check'], dir)).toBe('1 policy file, 0 test files: no errors\n');
  }, 60_000);

  it('brings licenses and documentation, and neither sources nor tests', () => {
    expect(readdirSync(installed)).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'THIRD_PARTY_LICENSES.md',
        'dist',
        'docs',
      ]),
    );
    const left = ['src', 'test', 'bench', 'node_modules/typescript'];
    expect(left.filter((path) => existsSync(join(installed, path)))).toEqual([]);
  });

  it('asks for no install script, its own or of a package it needs', () => {
    const { scripts } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      scripts: object;
    };
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
    const { packages } = JSON.parse(readFileSync(join(dir, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    expect(Object.keys(packages).filter((path) => packages[path]?.hasInstallScript)).toEqual([]);
  });

  it('says in one message that this Node is too old, and exits 3', (context) => {
    const old = olderNode();
    if (old === undefined) return context.skip('no Node older than 22.19 is on the path');
    const { status, stdout, stderr } = spawnSync(old, [join(installed, 'bin/gatehouse.js'), 'serve'], {
      cwd: dir,
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/^gatehouse needs Node 22\.19 or newer; this is Node \d+\.\d+\.\d+\..*\n$/);
    expect([status, stdout]).toEqual([3, '']);
  });
});

function olderNode(): string | undefined {
  return PATH.split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((node) => {
      const [, major, minor] =
        /^v(\d+)\.(\d+)/.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? [];
      return major !== undefined && Number(major) * 100 + Number(minor) < 2219;
    });
}
