/** Newcomer points 1 and 2 as processes: what the start prints, how it ends, and what a wrong start says. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EVERYTHING, legacyClient, readRecords, ROOT, temporaryFolder, until } from './kit.ts';

const BIN = join(ROOT, 'bin/gatehouse.js');
const RULES = 'package gateway\n\nallow := true\n';
const running: ChildProcess[] = [];

afterEach(() => {
  for (const { pid } of running.splice(0))
    if (pid !== undefined && isAlive(-pid)) process.kill(-pid, 'SIGKILL');
});

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Started {
  const child = spawn(command, args, { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  return { child, output: () => text, ended: new Promise((resolve) => child.once('exit', resolve)) };
}

const yaml = (rest: string): string => `version: 1\nlisten: 127.0.0.1:0\nadmin: 127.0.0.1:0\n${rest}`;
const one = `upstreams:\n  everything: { command: ${process.execPath}, args: [${EVERYTHING}] }\n`;

function folder(text: string, files: Record<string, string> = {}): string {
  return join(
    temporaryFolder({ 'policies/gateway.rego': RULES, ...files, 'gateway.yaml': text }),
    'gateway.yaml',
  );
}

const urlIn = (text: string): string | undefined => /serving (http:\S+)/.exec(text)?.[1];

describe('npm start', () => {
  /** The PATH as a newcomer has it: without the project's own Node in front. */
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((part) => !part.includes('node_modules'))
    .join(delimiter);

  it('says where it serves, what stands behind it and what to paste; ends cleanly on Ctrl-C', async () => {
    const { child, output, ended } = start('npm', ['start', '--', '--config', folder(yaml(one))], {
      ...process.env,
      PATH: path,
    });
    await until(() => urlIn(output()) !== undefined, 60_000);
    await until(() => output().includes('"mcpServers"'));
    const text = output();
    for (const part of [
      /everything +\d+ tools/,
      /Policies +1 file/,
      /Audit +\S+gatehouse\.jsonl/,
      /Metrics +http:\/\/127\.0\.0\.1:\d+\/metrics/,
      /"url": "http:\/\/127\.0\.0\.1:\d+\/mcp"/,
    ])
      expect(text).toMatch(part);
    const client = await legacyClient(urlIn(text)!);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
    process.kill(-child.pid!, 'SIGINT');
    await ended;
    await until(() => !isAlive(-child.pid!));
  }, 90_000);
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('gatehouse serve', () => {
  it('drains on SIGTERM: exit code 0, audit on disk, no child left', async () => {
    const file = folder(yaml(one));
    const { child, output, ended } = start(process.execPath, [BIN, 'serve', '--config', file]);
    await until(() => urlIn(output()) !== undefined, 30_000);
    const client = await legacyClient(urlIn(output())!);
    const { content } = (await client.callTool({ name: 'everything__get-env', arguments: {} })) as {
      content: { text: string }[];
    };
    expect(content).toHaveLength(1);
    const slow = client.callTool({
      name: 'everything__trigger-long-running-operation',
      arguments: { duration: 1, steps: 2 },
    });
    await until(async () =>
      (await fetch(`${adminIn(output())}/metrics`).then((answer) => answer.text())).includes(
        'gatehouse_sessions 1',
      ),
    );
    child.kill('SIGTERM');
    expect(await slow).not.toHaveProperty('isError');
    expect(await ended).toBe(0);
    const records = readRecords(join(file, '../audit/gatehouse.jsonl'));
    expect(records.at(-1)).toMatchObject({ method: 'tools/call', outcome: 'ok' });
    expect(spawnSync('pgrep', ['-f', file]).stdout.toString()).toBe('');
  }, 60_000);

  it('listens before a slow upstream is there', async () => {
    const slow = `upstreams:\n  slow: { command: ${process.execPath}, args: ["-e", "setTimeout(() => {}, 60000)"] }\n`;
    const begun = performance.now();
    const port = await freePort();
    const { output } = start(process.execPath, [
      BIN,
      'serve',
      '--config',
      folder(`version: 1\nlisten: 127.0.0.1:${port}\nadmin: 127.0.0.1:0\n${slow}`),
    ]);
    await until(
      async () =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          (answer) => answer.ok,
          () => false,
        ),
      20_000,
    );
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
    await until(() => output().includes('slow  still starting'), 20_000);
  }, 60_000);

  it.each<[string, string, Record<string, string>, number, RegExp]>([
    [
      'an unknown key and a wrong value, both at once',
      'version: 1\nlisten: nowhere\nupstreamz: {}\n',
      {},
      1,
      /2:9[\s\S]*3:1[\s\S]*did you mean "upstreams"/,
    ],
    [
      'an unset variable',
      yaml('upstreams:\n  a: { command: "${env:GATEHOUSE_TEST_UNSET}" }\n'),
      {},
      1,
      /GATEHOUSE_TEST_UNSET/,
    ],
    [
      'a policy that does not compile',
      yaml(one),
      { 'policies/gateway.rego': 'package gateway\n\nallow if {\n' },
      1,
      /gateway\.rego:\d+/,
    ],
    [
      'a policy with a builtin that is not given',
      yaml(one),
      { 'policies/gateway.rego': 'package gateway\n\nallow if http.send({}).status == 200\n' },
      1,
      /http\.send/,
    ],
    ['no policy', yaml(`policy: { paths: [./nothing-here] }\n${one}`), {}, 1, /mode: off/],
  ])(
    'refuses to start on %s',
    (_what, text, files, code, message) => {
      const result = spawnSync(process.execPath, [BIN, 'serve', '--config', folder(text, files)], {
        encoding: 'utf8',
      });
      expect(result.stderr).toMatch(message);
      expect(result.status).toBe(code);
    },
    30_000,
  );

  it('names the port in use, and leaves no child', async () => {
    const taken = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
    });
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const file = folder(`version: 1\nlisten: 127.0.0.1:${port}\nadmin: 127.0.0.1:0\n${one}`);
    const { output, ended } = start(process.execPath, [BIN, 'serve', '--config', file]);
    expect(await ended).toBe(3);
    expect(output()).toMatch(
      new RegExp(`listen: 127.0.0.1:${port} cannot be used: another program uses this port`),
    );
    taken.close();
  }, 60_000);

  it('says what is missing when there is no configuration file', () => {
    const result = spawnSync(process.execPath, [BIN, 'serve', '--config', 'no-such.yaml'], {
      encoding: 'utf8',
    });
    expect([result.status, result.stderr]).toEqual([1, expect.stringMatching(/no-such\.yaml/)]);
  });

  it('exits 2 on a wrong option', () => {
    expect(spawnSync(process.execPath, [BIN, 'serve', '--frobnicate'], { encoding: 'utf8' }).status).toBe(2);
  });
});

const adminIn = (text: string): string => /Metrics +(http:\S+)\/metrics/.exec(text)![1]!;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

it('gatehouse key create prints a key and the hash that lets it in', () => {
  const { stdout } = spawnSync(process.execPath, [BIN, 'key', 'create', '--id', 'alice', '--role', 'dev'], {
    encoding: 'utf8',
  });
  expect(stdout).toMatch(
    /^gh_[\w-]{43}\n[\s\S]*\{ id: "alice", sha256: "[0-9a-f]{64}", roles: \["dev"\] \}\n$/,
  );
});
