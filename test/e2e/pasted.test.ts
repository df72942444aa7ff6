/** Newcomer point 9: the `mcpServers` JSON of the tutorials, pasted as it is. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { legacyClient, ROOT, startGateway, until } from './kit.ts';

const works = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

interface Server {
  readonly command: string;
  readonly args: readonly string[];
}

/** Starts a gateway on the pasted text and calls one tool of its one server. */
async function callThrough(
  servers: Record<string, Server>,
  files: Record<string, string>,
  tool: string,
  args: Record<string, unknown>,
) {
  const gateway = await startGateway({ yaml: `"mcpServers": ${JSON.stringify(servers, null, 2)}\n`, files });
  try {
    await until(() => gateway.gateway.status().every(({ state }) => state === 'up'), 60_000);
    const client = await legacyClient(gateway.url);
    const result = (await client.callTool({ name: tool, arguments: args })) as {
      isError?: boolean;
      content: { text: string }[];
    };
    await client.close();
    return result;
  } finally {
    await gateway.stop();
  }
}

it('server-filesystem by npx, only the folder changed', async () => {
  const folder = join(ROOT, 'demo/files');
  const servers = {
    filesystem: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', folder] },
  };
  const result = await callThrough(servers, {}, 'filesystem__list_directory', { path: folder });
  expect(result.isError).toBeUndefined();
  expect(result.content[0]!.text).toContain('[FILE]');
}, 120_000);

it('a weather server of ten lines in Python, with Chinese arguments and results', async (context: TestContext) => {
  if (!works('python3', '-c', 'import mcp')) context.skip('python3 with the package mcp is not on the path');
  const servers = { weather: { command: 'python3', args: ['weather.py'] } };
  const files = { 'weather.py': readFileSync(join(ROOT, 'test/fixtures/weather.py'), 'utf8') };
  const result = await callThrough(servers, files, 'weather__weather', { city: '北京' });
  expect(result.content[0]!.text).toBe('北京:晴,25℃');
}, 120_000);

it('server-fetch by uvx', async (context: TestContext) => {
  if (!works('uvx', '--version')) context.skip('uvx is not on the path');
  const page = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<html><body><p>今日は、世界</p></body></html>'),
  );
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const address = page.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
  try {
    const result = await callThrough(
      { fetch: { command: 'uvx', args: ['mcp-server-fetch', '--ignore-robots-txt', '--allow-private-ips'] } },
      {},
      'fetch__fetch',
      { url, raw: true },
    );
    expect(result.content[0]!.text).toContain('今日は、世界');
  } finally {
    page.close();
  }
}, 180_000);
