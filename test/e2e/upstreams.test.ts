/** Newcomer points 4 and 10: an upstream by URL that goes and comes back, a command that does not exist, status and metrics. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVERYTHING, legacyClient, startGateway, until, type TestGateway } from './kit.ts';

let port: number;
let web: ChildProcess;
let gateway: TestGateway;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

const startWeb = (): ChildProcess =>
  spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
const status = async (): Promise<any> => (await fetch(`${gateway.adminUrl}/status`)).json();
const upstream = async (id: string): Promise<any> =>
  (await status()).upstreams.find((each: { id: string }) => each.id === id);

beforeAll(async () => {
  port = await freePort();
  web = startWeb();
  gateway = await startGateway({
    yaml: `
upstreams:
  local: { command: ${process.execPath}, args: [${EVERYTHING}] }
  web: { url: "http://127.0.0.1:${port}/mcp" }
  missing: { command: no-such-command-anywhere }
`,
  });
  await until(async () => (await upstream('web')).state === 'up', 30_000);
}, 60_000);

afterAll(async () => {
  await gateway.stop();
  web.kill();
});

const echo = (id: string) => ({ name: `${id}__echo`, arguments: { message: id } });

it('names the command and the PATH of an upstream that cannot start, and serves the others', async () => {
  const { state, reason } = await upstream('missing');
  expect(state).toBe('down');
  expect(reason).toContain('"no-such-command-anywhere" was not found');
  expect(reason).toContain(process.env['PATH']);
});

it('keeps serving while one upstream is gone, says why, and takes it back by itself', async () => {
  const client = await legacyClient(gateway.url);
  expect(await client.callTool(echo('web'))).toMatchObject({ content: [{ text: 'Echo: web' }] });
  web.kill('SIGKILL');
  await until(async () => (await upstream('web')).state === 'down');
  expect((await upstream('web')).reason).toMatch(/ECONNREFUSED/);
  expect(await client.callTool(echo('local'))).toMatchObject({ content: [{ text: 'Echo: local' }] });
  // The last-known entries stay, and say on use what is wrong.
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('web__echo');
  const down = await client.callTool(echo('web'));
  expect(down).toMatchObject({
    isError: true,
    _meta: { 'gatehouse/error': { code: 'upstream_unavailable', upstream: 'web' } },
  });
  web = startWeb();
  await until(async () => (await upstream('web')).state === 'up', 40_000);
  expect(await client.callTool(echo('web'))).toMatchObject({ content: [{ text: 'Echo: web' }] });
  expect((await upstream('web')).restarts).toBeGreaterThan(0);
  await client.close();
}, 60_000);

it('answers /metrics on the admin address with the promised families', async () => {
  const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  for (const sample of [
    /^mcp_server_operation_duration_seconds_count\{.*tools\/call.*"local".*"ok".*\} \d+$/m,
    /^mcp_client_operation_duration_seconds_count\{.*\} \d+$/m,
    /^gatehouse_policy_decisions_total\{decision="allow"\} \d+$/m,
    /^gatehouse_upstream_up\{upstream="local"\} 1$/m,
    /^gatehouse_upstream_up\{upstream="missing"\} 0$/m,
    /^gatehouse_upstream_restarts_total\{upstream="web"\} \d+$/m,
    /^gatehouse_catalog_entries\{upstream="local",kind="tool"\} \d+$/m,
    /^gatehouse_http_requests_total\{code="2xx"\} \d+$/m,
    /^gatehouse_sessions \d+$/m,
    /^gatehouse_audit_records_total\{.*sink="file".*\} \d+$/m,
    /^gatehouse_tool_calls_total\{.*tool_name="echo".*\} \d+$/m,
    /^nodejs_eventloop_lag_seconds /m,
    /^process_resident_memory_bytes /m,
  ])
    expect(text).toMatch(sample);
  expect((await fetch(gateway.url.replace('/mcp', '/metrics'))).status).toBe(404);
});

it('keeps promtool content', async (context) => {
  if (spawnSync('promtool', ['--version']).error) context.skip('promtool is not on the path');
  const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  expect(execFileSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe('');
});

it('is healthy and ready', async () => {
  for (const base of [gateway.adminUrl, gateway.url.replace('/mcp', '')])
    for (const path of ['/healthz', '/readyz']) expect((await fetch(base + path)).status).toBe(200);
});
