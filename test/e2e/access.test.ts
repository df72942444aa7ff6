/** Newcomer points 5, 6 and 8: what the policy hides or refuses, limits of one caller, credentials that stay on their side. */
import { createHash } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERYTHING, legacyClient, openSession, post, rpc, startGateway, type TestGateway } from './kit.ts';

const KEYS = { dev: 'key-of-the-developer-0001', ops: 'key-of-the-operator-0002' };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const POLICY = `package gateway

default allow := false

allow if "ops" in input.principal.roles
allow if { "dev" in input.principal.roles; input.target.name in {"echo", "get-sum", "headers"} }

deny contains "sums over 100 need an operator" if {
	input.phase == "request"
	"dev" in input.principal.roles
	input.target.name == "get-sum"
	input.arguments.a > 100
}
`;

let headers: ChildProcess;
let gateway: TestGateway;

beforeAll(async () => {
  headers = spawn(
    process.execPath,
    [fileURLToPath(new URL('../fixtures/echo-headers.ts', import.meta.url))],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [port] = (await once(headers.stdout!, 'data')) as [Buffer];
  gateway = await startGateway({
    files: { 'policies/gateway.rego': POLICY },
    env: { UPSTREAM_TOKEN: 'configured-upstream-token', GATEWAY_PRIVATE: 'never-for-children' },
    yaml: `
upstreams:
  everything: { command: ${process.execPath}, args: [${EVERYTHING}], env: { GIVEN: yes-this-one } }
  web:
    url: http://127.0.0.1:${port.toString().trim()}/mcp
    credentials: { type: header, name: Authorization, value: "Bearer \${env:UPSTREAM_TOKEN}" }
auth:
  apiKeys:
    - { id: dev, sha256: "${sha256(KEYS.dev)}", roles: [dev] }
    - { id: ops, sha256: "${sha256(KEYS.ops)}", roles: [ops] }
rateLimits: [{ name: small, key: [principal], match: { tool: "get-tiny-image" }, limit: 2/h, burst: 2 }, { name: dev, key: [principal], match: { tool: echo }, limit: 3/h, burst: 3 }]
`,
  });
  process.env['GATEWAY_PRIVATE'] = 'never-for-children';
}, 60_000);

afterAll(async () => {
  await gateway.stop();
  headers.kill();
});

const errorOf = async (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('the policy', () => {
  it('shows each role its own list', async () => {
    const lists = await Promise.all(
      [KEYS.dev, KEYS.ops].map(async (key) => {
        const client = await legacyClient(gateway.url, key);
        const names = (await client.listTools()).tools.map(({ name }) => name);
        await client.close();
        return names;
      }),
    );
    expect(lists[0]).toEqual(['everything__echo', 'everything__get-sum', 'web__headers']);
    expect(lists[1]).toContain('everything__get-env');
  });

  it('answers a hidden tool and an unknown one with the same words and code', async () => {
    const client = await legacyClient(gateway.url, KEYS.dev);
    const hidden = await errorOf(client.callTool({ name: 'everything__get-env', arguments: {} }));
    const unknown = await errorOf(client.callTool({ name: 'everything__get-xyz', arguments: {} }));
    await client.close();
    expect(hidden.code).toBe(-32602);
    expect(unknown.code).toBe(-32602);
    expect(hidden.message.replace('get-env', 'get-xyz')).toBe(unknown.message);
    expect(Object.keys(hidden.data).sort()).toEqual(Object.keys(unknown.data).sort());
    const record = (await gateway.records()).find(({ target }) => target?.name === 'get-env');
    expect(record).toMatchObject({ outcome: 'denied', decision: { allow: false }, upstream: 'everything' });
  });

  it('refuses arguments with its reason, as a result the model can act on', async () => {
    const client = await legacyClient(gateway.url, KEYS.dev);
    const refused = await client.callTool({ name: 'everything__get-sum', arguments: { a: 101, b: 1 } });
    const allowed = await client.callTool({ name: 'everything__get-sum', arguments: { a: 2, b: 1 } });
    await client.close();
    expect(refused).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'sums over 100 need an operator' }],
      _meta: { 'gatehouse/error': { code: 'denied', reason: 'sums over 100 need an operator' } },
    });
    expect(allowed['isError']).toBeUndefined();
    expect(
      (await gateway.records()).find(
        ({ outcome, target }) => outcome === 'denied' && target.name === 'get-sum',
      ),
    ).toMatchObject({ decision: { allow: false, reasons: ['sums over 100 need an operator'] } });
  });
});

it('limits one caller and not the other, and says when to come back', async () => {
  const [dev, ops] = await Promise.all([
    legacyClient(gateway.url, KEYS.dev),
    legacyClient(gateway.url, KEYS.ops),
  ]);
  const echo = { name: 'everything__echo', arguments: { message: 'x' } };
  for (let i = 0; i < 3; i++) expect((await dev.callTool(echo))['isError']).toBeUndefined();
  const limited = await dev.callTool(echo);
  expect(limited).toMatchObject({ isError: true, _meta: { 'gatehouse/error': { code: 'limited' } } });
  const retryAfter = (limited['_meta'] as any)['gatehouse/error'].retryAfter;
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(1200);
  expect((await ops.callTool(echo))['isError']).toBeUndefined();
  await Promise.all([dev.close(), ops.close()]);
  const session = await openSession(gateway.url, { authorization: `Bearer ${KEYS.dev}` });
  const answer = await post(gateway.url, rpc('tools/call', echo), session);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([
    200,
    String(answer.json.result._meta['gatehouse/error'].retryAfter),
  ]);
});

describe('credentials', () => {
  it("gives the upstream its own and never the caller's", async () => {
    const session = await openSession(gateway.url, {
      authorization: `Bearer ${KEYS.dev}`,
      cookie: 'session=of-the-caller',
      'x-forwarded-user': 'root',
    });
    const answer = await post(
      gateway.url,
      rpc('tools/call', { name: 'web__headers', arguments: {} }),
      session,
    );
    const seen = JSON.parse(answer.json.result.content[0].text);
    expect(seen.authorization).toBe('Bearer configured-upstream-token');
    expect(JSON.stringify(seen)).not.toContain(KEYS.dev);
    expect(seen).not.toHaveProperty('cookie');
    expect(seen).not.toHaveProperty('x-forwarded-user');
  });

  it('gives children the minimal environment and what was configured', async () => {
    const client = await legacyClient(gateway.url, KEYS.ops);
    const result = (await client.callTool({ name: 'everything__get-env', arguments: {} })) as {
      content: { text: string }[];
    };
    await client.close();
    const env = JSON.parse(result.content[0]!.text);
    expect(env).toMatchObject({ GIVEN: 'yes-this-one', PATH: process.env['PATH'] });
    expect(env).not.toHaveProperty('UPSTREAM_TOKEN');
    const base = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER', 'GIVEN'];
    expect(Object.keys(env).filter((name) => !base.includes(name))).toEqual([]);
  });

  it.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer wrong' }],
    ['another scheme', { authorization: `Basic ${KEYS.dev}` }],
    ['two keys', { authorization: `Bearer ${KEYS.dev}`, 'x-api-key': KEYS.ops }],
    ['an empty key', { authorization: 'Bearer ' }],
  ])('refuses %s with a challenge', async (_what, headers) => {
    const answer = await post(gateway.url, rpc('tools/list'), headers);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('takes the key in X-API-Key as well', async () => {
    const session = await openSession(gateway.url, { 'x-api-key': KEYS.ops });
    expect((await post(gateway.url, rpc('tools/list'), session)).json.result.tools.length).toBeGreaterThan(3);
  });

  it('does not open a session of one principal to another', async () => {
    const session = await openSession(gateway.url, { 'x-api-key': KEYS.ops });
    const answer = await post(gateway.url, rpc('tools/list'), { ...session, 'x-api-key': KEYS.dev });
    expect(answer.status).toBe(404);
  });
});
