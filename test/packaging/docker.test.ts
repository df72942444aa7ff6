/**
 * The image as far as a machine without a container engine can tell: the steps of the Dockerfile in an empty folder, then what
 * it starts, with the configuration of deploy/docker/. docs/docker.md names what stays untested.
 */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EVERYTHING, legacyClient, post, ROOT, rpc, temporaryFolder, until } from '../e2e/kit.ts';
import { buildImage, readInstructions, type Image } from './image.ts';
import { freePort, PATH, start, type Started } from './process.ts';

const KEY = 'a-key-for-this-test-only';
const NODE_USER = 1000;

const scratch = temporaryFolder();
let image: Image;

beforeAll(() => {
  image = buildImage(ROOT, scratch);
  chmodSync(scratch, 0o755);
  for (const path of image.owned) giveAway(path);
}, 180_000);

/** As in the image, the gateway runs as somebody else, where this user may do that and this Node lies where others reach it. */
const other = { uid: NODE_USER, gid: NODE_USER };
const canBeOther = process.getuid?.() === 0 && spawnSync(process.execPath, ['--version'], other).status === 0;

function giveAway(path: string): void {
  if (!canBeOther) return;
  chownSync(path, NODE_USER, NODE_USER);
  for (const entry of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    chownSync(join(path, entry), NODE_USER, NODE_USER);
}

const inside = (path: string): string => (path.startsWith('/') ? join(image.root, path) : path);

/** ENTRYPOINT and CMD as the engine would start them; absolute paths lie below the root of the image. */
function startImage(): Started {
  const [node = '', ...args] = [...image.entrypoint, ...image.command].map(inside);
  expect(node).toBe('node');
  return start(process.execPath, args, {
    cwd: inside(image.workdir),
    env: { ...image.env, PATH },
    ...(canBeOther ? other : {}),
  });
}

interface Ports {
  readonly public: number;
  readonly admin: number;
  readonly upstream: number;
}

/** deploy/docker/gateway.yaml as it is; only ports, names and folders are those of this machine. */
function mount({ public: open, admin, upstream }: Ports): void {
  const text = readFileSync(join(ROOT, 'deploy/docker/gateway.yaml'), 'utf8')
    .replaceAll(':8080', `:${open}`)
    .replaceAll(':9464', `:${admin}`)
    .replace('everything:3001', `127.0.0.1:${upstream}`)
    .replaceAll('/run/secrets', inside('/run/secrets'))
    .replaceAll('/var/lib/gatehouse', inside('/var/lib/gatehouse'));
  const files = {
    '/etc/gatehouse/gateway.yaml': text,
    '/etc/gatehouse/policies/gateway.rego': 'package gateway\n\nallow if "dev" in input.principal.roles\n',
    '/run/secrets/alice_sha256': `${hash('sha256', KEY)}\n`,
    '/run/secrets/everything_token': 'a-token-for-this-test-only\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(inside(path), '..'), { recursive: true });
    writeFileSync(inside(path), content);
  }
}

function health(admin: number): number | null {
  const [node = '', ...args] = image.healthcheck.map((word) => word.replace(':9464', `:${admin}`));
  expect(node).toBe('node');
  return spawnSync(process.execPath, args).status;
}

describe('the image', () => {
  it('says how to mount a configuration when there is none, and exits 1', async () => {
    const container = startImage();
    const said = container.saw(
      /Mount one[^]*-v .\/gateway\.yaml:\S*\/etc\/gatehouse\/gateway\.yaml:ro[^]*-v .\/policies:\S*\/etc\/gatehouse\/policies:ro/,
    );
    expect(await container.ended).toBe(1);
    await said;
  });

  it('serves the configuration of deploy/docker to who has a key, is healthy, and ends on SIGTERM', async () => {
    const ports = { public: await freePort(), admin: await freePort(), upstream: await freePort() };
    start(process.execPath, [EVERYTHING, 'streamableHttp'], { env: { PATH, PORT: String(ports.upstream) } });
    mount(ports);
    expect(health(ports.admin)).toBe(1);

    const container = startImage();
    const url = await container.saw(/serving (http:\/\/localhost:\d+\/mcp)/);
    expect(url).toBe(`http://localhost:${ports.public}/mcp`);
    expect(health(ports.admin)).toBe(0);
    await until(async () => (await fetch(`http://localhost:${ports.public}/readyz`)).ok);
    expect((await post(url, rpc('tools/list'))).status).toBe(401);
    const client = await legacyClient(url, KEY);
    const said = await client.callTool({
      name: 'everything__echo',
      arguments: { message: 'through the image' },
    });
    expect(JSON.stringify(said.content)).toContain('through the image');
    await client.close();

    expect(await container.stop()).toBe(0);
    expect(readFileSync(inside('/var/lib/gatehouse/audit/gatehouse.jsonl'), 'utf8')).toContain('"alice"');
  }, 60_000);

  it('holds what runs and nothing else', () => {
    expect(readdirSync(inside('/app')).toSorted()).toEqual([
      'LICENSE',
      'THIRD_PARTY_LICENSES.md',
      'bin',
      'deploy',
      'dist',
      'node_modules',
      'package.json',
      'tools',
    ]);
    for (const left of ['typescript', 'vitest', '@types'])
      expect(readdirSync(inside('/app/node_modules'))).not.toContain(left);
  });

  it('does not run as root, and gives its user nothing but the volume', () => {
    expect(image.user).toBe('node');
    expect(image.owned).toEqual([inside('/var/lib/gatehouse')]);
  });
});

describe('the files around it', () => {
  const instructions = readInstructions(join(ROOT, 'Dockerfile'));

  it('let every copied path through .dockerignore, and no other', () => {
    const copied = instructions
      .filter(([name, rest]) => name === 'COPY' && !rest.includes('--from='))
      .flatMap(([, rest]) => rest.split(' ').slice(0, -1));
    const [all, ...kept] = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(all).toBe('*');
    expect(kept).toEqual([...new Set(copied)].map((path) => `!${path}`).toSorted());
  });

  it('agree on ports, folders, secrets and the user', () => {
    const compose = parse(readFileSync(join(ROOT, 'deploy/docker/compose.yaml'), 'utf8')) as {
      services: { gatehouse: Record<string, unknown> };
      secrets: object;
    };
    const config = readFileSync(join(ROOT, 'deploy/docker/gateway.yaml'), 'utf8');
    const secrets = [...config.matchAll(/\/run\/secrets\/(\w+)/g)].map(([, name = '']) => name);
    expect(secrets.toSorted()).toEqual(Object.keys(compose.secrets).toSorted());
    expect(compose.services.gatehouse).toMatchObject({
      read_only: true,
      init: true,
      secrets,
      ports: ['127.0.0.1:8080:8080', '127.0.0.1:9464:9464'],
      volumes: expect.arrayContaining([
        './gateway.yaml:/etc/gatehouse/gateway.yaml:ro',
        'data:/var/lib/gatehouse',
      ]),
    });
    expect(instructions).toContainEqual(['EXPOSE', '8080 9464']);
    expect(instructions).toContainEqual(['VOLUME', '/var/lib/gatehouse']);
  });
});
