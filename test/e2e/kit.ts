/** A whole gateway for tests: a configuration in a folder of its own, real sockets on free ports, real clients. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { serve, type Running } from '../../src/cli/serve.ts';
import { loadConfig } from '../../src/config/load.ts';

/** Root of the checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

const ALLOW_ALL = 'package gateway\n\nallow := true\n';

/** Everything a test gateway writes under `upstreams:` or elsewhere, before ports and logs. */
export interface Setup {
  /** YAML below `version: 1`; ports are free ones, the log is quiet. */
  readonly yaml: string;
  /** Files beside it; a policy that allows everything stands in policies/gateway.rego unless given. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface TestGateway extends Running {
  readonly dir: string;
  /** The audit records written so far. */
  records(): Promise<AuditLine[]>;
}

export type AuditLine = Record<string, any>;

/** A folder that is removed when the test file ends. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** npx then finds the packages of the checkout, as it does for somebody who starts there. */
export function linkPackages(dir: string): void {
  copyFileSync(join(ROOT, 'package.json'), join(dir, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
}

export async function startGateway({ yaml, files = {}, env = {} }: Setup): Promise<TestGateway> {
  const dir = temporaryFolder({
    'policies/gateway.rego': ALLOW_ALL,
    ...files,
    'gateway.yaml': `version: 1\nlisten: 127.0.0.1:0\nadmin: 127.0.0.1:0\nlog: { level: error }\n${yaml}`,
  });
  linkPackages(dir);
  const { config, secrets } = await loadConfig(join(dir, 'gateway.yaml'), { ...process.env, ...env });
  const running = await serve(config, secrets);
  await until(() => running.gateway.ready());
  return {
    ...running,
    dir,
    async records() {
      await running.gateway.snapshot().audit.flush();
      return readRecords(join(dir, 'audit/gatehouse.jsonl'));
    },
  };
}

export function readRecords(file: string): AuditLine[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditLine);
}

/** A port that was free a moment ago, for a program that cannot choose one itself. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Resolves when the condition holds; fails after `ms`. For what other processes do in their own time. */
export async function until(condition: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > end)
      throw new Error(`not reached within ${ms} ms: ${condition.toString().slice(0, 200)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const headersFor = (key?: string): { requestInit?: RequestInit } =>
  key === undefined ? {} : { requestInit: { headers: { Authorization: `Bearer ${key}` } } };

/** The SDK's version 1: a client of the legacy era. */
export async function legacyClient(url: string, key?: string): Promise<Client> {
  const client = new Client({ name: 'test-legacy', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), headersFor(key)));
  return client;
}

/** The SDK's version 2, pinned to the modern era. */
export async function modernClient(url: string, key?: string): Promise<ModernClient> {
  const client = new ModernClient(
    { name: 'test-modern', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new ModernTransport(new URL(url), headersFor(key)));
  return client;
}

/** One POST as a client of the legacy era would send it, with whatever is to be tried. */
export async function post(
  url: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: Headers; text: string; json: any }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith('{') ? JSON.parse(text) : undefined,
  };
}

/** Opens a session by hand; the headers of the requests that follow. */
export async function openSession(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'by-hand', version: '1' },
  };
  const answer = await post(
    url,
    JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
    headers,
  );
  return {
    ...headers,
    'mcp-session-id': answer.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-06-18',
  };
}

export function rpc(method: string, params: object = {}, id: string | number = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** A request of the modern era: body and headers that agree. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  id: string | number = 1,
): [string, Record<string, string>] {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'by-hand', version: '1' },
  };
  const name = params['name'] ?? params['uri'];
  return [
    rpc(method, { ...params, _meta }, id),
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
  ];
}
