/** Any JSON arrives as it was written: results byte by byte, arguments value by value, errors with code and data. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonText } from '../protocol/json-text.ts';
import { modern, openSession, post, rpc, startGateway, type TestGateway } from './kit.ts';

/** What the upstream answers to the next call, and the body it got. */
let outcome = '"result":{}';
let received = '';
let upstream: Server;
let gateway: TestGateway;
let session: Record<string, string>;

const FIXED: Readonly<Record<string, string>> = {
  initialize:
    '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"any","version":"1"}}',
  'tools/list': '"result":{"tools":[{"name":"any","inputSchema":{"type":"object"}}]}',
};

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
      if (method === 'tools/call') received = body;
      if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
      const answer =
        method === 'tools/call' ? outcome : (FIXED[method ?? ''] ?? '"error":{"code":-32601,"message":"no"}');
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"jsonrpc":"2.0",${answer},"id":${id}}`);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  gateway = await startGateway({
    yaml: `upstreams:\n  up: { url: "http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp" }\n`,
  });
  session = await openSession(gateway.url);
}, 60_000);

afterAll(async () => {
  await gateway.stop();
  upstream.close();
});

const RUNS = { numRuns: 150 };
const call = (args = '{}'): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up__any","arguments":${args}}}`;

describe('through the gateway', () => {
  it('a result arrives byte by byte in the legacy era', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, jsonText, async (structured, extra) => {
        const result = `{ "content" : [{"type":"novel","x":${extra.written}}],\t"structuredContent":${structured.written},"_meta":{"a/b":${extra.written}},"unknown":${structured.written}}`;
        outcome = `"result":${result}`;
        expect((await post(gateway.url, call(), session)).text).toBe(
          `{"jsonrpc":"2.0","id":1,"result":${result}}`,
        );
      }),
      RUNS,
    );
  }, 60_000);

  it('a result gains its type in the modern era, and nothing else', async () => {
    const [body, headers] = modern('tools/call', { name: 'up__any', arguments: {} });
    await fc.assert(
      fc.asyncProperty(jsonText, async ({ written }) => {
        outcome = `"result":{"structuredContent":${written}}`;
        expect((await post(gateway.url, body, headers)).text).toBe(
          `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","structuredContent":${written}}}`,
        );
      }),
      RUNS,
    );
  }, 60_000);

  it('an error keeps its code, message and data', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, fc.integer({ min: -40_000, max: 40_000 }), async ({ written }, code) => {
        outcome = `"error":{"code":${code},"message":"m","data":${written},"more":${written}}`;
        expect((await post(gateway.url, call(), session)).text).toBe(`{"jsonrpc":"2.0","id":1,${outcome}}`);
      }),
      RUNS,
    );
  }, 60_000);

  it('arguments arrive as the one reading of them, digit by digit', async () => {
    outcome = '"result":{"content":[]}';
    await fc.assert(
      fc.asyncProperty(jsonText, async ({ written, compact }) => {
        await post(gateway.url, call(`{"value":${written}}`), session);
        expect(received).toContain(`"params":{"name":"any","arguments":{"value":${compact}}}`);
      }),
      RUNS,
    );
  }, 60_000);

  it('what the policy read is what was sent: the last of two equal keys inside arguments', async () => {
    await post(gateway.url, call('{"path":"first","path":"second"}'), session);
    expect(received).toContain('"arguments":{"path":"second"}');
  });

  it('_meta passes, but for what belongs to the hop', async () => {
    await post(
      gateway.url,
      rpc('tools/call', {
        name: 'up__any',
        arguments: {},
        _meta: { 'com.example/x': { y: 1 }, traceparent: '00-a-b-01' },
      }),
      session,
    );
    expect(JSON.parse(received).params._meta).toEqual({
      'com.example/x': { y: 1 },
      traceparent: '00-a-b-01',
    });
    await post(gateway.url, ...modern('tools/call', { name: 'up__any', arguments: {} }));
    expect(JSON.parse(received).params._meta).toEqual({});
  });
});
