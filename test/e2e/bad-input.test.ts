/** Bad input from the first day: each gets one clear error of the right code, the process lives, nothing reaches an upstream. */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERYTHING, modern, openSession, post, rpc, startGateway, type TestGateway } from './kit.ts';

let gateway: TestGateway;
let session: Record<string, string>;

beforeAll(async () => {
  gateway = await startGateway({
    yaml: `limits: { body: 64KiB, depth: 16 }\nupstreams:\n  everything: { command: ${process.execPath}, args: [${EVERYTHING}] }\n`,
  });
  session = await openSession(gateway.url);
}, 60_000);
afterAll(() => gateway.stop());

const call = (args: string, name = 'everything__echo'): string =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a body that is refused', () => {
  it.each<[string, string | Buffer, number, number]>([
    ['empty', '', 400, -32700],
    ['not JSON', '{"jsonrpc":', 400, -32700],
    ['a number', '5', 400, -32600],
    ['null', 'null', 400, -32600],
    ['an empty object', '{}', 400, -32600],
    ['a batch', `[${rpc('tools/list')}]`, 400, -32600],
    ['an empty batch', '[]', 400, -32600],
    ['UTF-16', Buffer.from(rpc('tools/list'), 'utf16le'), 400, -32700],
    ['a byte order mark', `\ufeff${rpc('tools/list')}`, 400, -32700],
    ['a cut character', Buffer.from(rpc('tools/list', { x: '世' })).subarray(0, -6), 400, -32700],
    ['id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
    ['an id beyond 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', 400, -32600],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":5}', 400, -32600],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32600],
    ['no jsonrpc', '{"id":1,"method":"ping"}', 400, -32600],
    [
      'duplicate keys',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"everything__echo","name":"everything__get-env"}}',
      400,
      -32600,
    ],
    [
      'case twins',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"everything__echo","Name":"everything__get-env"}}',
      400,
      -32600,
    ],
    ['an escaped twin', '{"jsonrpc":"2.0","id":1,"method":"ping","\\u006dethod":"tools/list"}', 400, -32600],
    ['a long-s twin', '{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{},"params":{}}', 400, -32600],
    ['too deep', call(deep(20)), 400, -32600],
    [
      '200,000 deep within the size',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${deep(30_000)}}}`,
      400,
      -32600,
    ],
    ['too large', call(`{"message":"${'x'.repeat(70_000)}"}`), 413, -32600],
    [
      'an answer nobody asked for, with result and error',
      '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
      400,
      -32600,
    ],
  ])('%s', async (_what, body, status, code) => {
    const answer = await post(gateway.url, body, session);
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect(answer.json.error.message).toMatch(/\w.*[.)]$/);
  });

  it.each([['text/plain'], ['multipart/form-data; boundary=x'], ['application/json; charset=utf-16']])(
    'of type %s',
    async (type) => {
      expect((await post(gateway.url, rpc('ping'), { ...session, 'content-type': type })).status).toBe(415);
    },
  );

  it('is in the audit, as invalid', async () => {
    await post(gateway.url, '{"jsonrpc":', session);
    expect(
      (await gateway.records()).filter(
        ({ outcome, error }) => outcome === 'invalid' && error?.code === 'parse_error',
      ).length,
    ).toBeGreaterThan(0);
  });
});

describe('a request that is refused', () => {
  it.each<[string, string, object, number]>([
    ['an unknown method', 'tools/fly', {}, -32601],
    ['a method of the prototype', 'constructor', {}, -32601],
    ['a method of the other era', 'server/discover', {}, -32601],
    ['an unknown tool', 'tools/call', { name: 'everything__nope', arguments: {} }, -32602],
    ['a prefix only', 'tools/call', { name: 'everything__', arguments: {} }, -32602],
    ['a double prefix', 'tools/call', { name: 'everything__everything__echo', arguments: {} }, -32602],
    ['no name', 'tools/call', {}, -32602],
    ['a 10 KB name', 'tools/call', { name: 'x'.repeat(10_000) }, -32602],
    ['a NUL in the name', 'tools/call', { name: 'everything__echo\0' }, -32602],
    ['arguments that are a list', 'tools/call', { name: 'everything__echo', arguments: [] }, -32602],
    ['an unknown prompt', 'prompts/get', { name: 'nope' }, -32602],
    ['an unknown resource', 'resources/read', { uri: 'nope://1' }, -32602],
    ['an invented cursor', 'tools/list', { cursor: 'abc' }, -32602],
    ['a wrong log level', 'logging/setLevel', { level: 'loud' }, -32602],
  ])('%s', async (_what, method, params, code) => {
    const answer = await post(gateway.url, rpc(method, params, 'my id'), session);
    expect([answer.status, answer.json.id, answer.json.error.code]).toEqual([200, 'my id', code]);
  });

  it('without a session, or with an unknown one', async () => {
    expect((await post(gateway.url, rpc('tools/list'))).status).toBe(400);
    expect((await post(gateway.url, rpc('tools/list'), { 'mcp-session-id': 'nope' })).status).toBe(404);
  });

  it('with a protocol version nobody knows', async () => {
    expect(
      (await post(gateway.url, rpc('tools/list'), { ...session, 'mcp-protocol-version': '1999-01-01' }))
        .status,
    ).toBe(400);
  });
});

describe('the modern era', () => {
  it('discovers, lists and calls without a session', async () => {
    const discovered = (await post(gateway.url, ...modern('server/discover'))).json.result;
    expect(discovered).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      ttlMs: 0,
      cacheScope: 'private',
      capabilities: { tools: {} },
    });
    expect(discovered._meta['io.modelcontextprotocol/serverInfo'].name).toBe('gatehouse');
    const listed = (await post(gateway.url, ...modern('tools/list'))).json.result;
    expect(listed).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
    const called = (
      await post(
        gateway.url,
        ...modern('tools/call', { name: 'everything__echo', arguments: { message: 'hi' } }),
      )
    ).json.result;
    expect(called).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'Echo: hi' }] });
  });

  it.each<[string, Record<string, string | undefined>, number, number]>([
    ['another Mcp-Method', { 'mcp-method': 'tools/list' }, 400, -32020],
    ['another Mcp-Name', { 'mcp-name': 'everything__get-env' }, 400, -32020],
    ['no Mcp-Name', { 'mcp-name': undefined }, 400, -32020],
    ['no Mcp-Method', { 'mcp-method': undefined }, 400, -32020],
    ['no version header', { 'mcp-protocol-version': undefined }, 400, -32020],
    ['another version header', { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['bad base64', { 'mcp-name': '=?base64?####?=' }, 400, -32020],
  ])('refuses %s', async (_what, changed, status, code) => {
    const [body, headers] = modern('tools/call', { name: 'everything__echo', arguments: { message: 'x' } });
    const merged = Object.fromEntries(
      Object.entries({ ...headers, ...changed }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    );
    const answer = await post(gateway.url, body, merged);
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  });

  it('accepts the base64 form of a name', async () => {
    const [body, headers] = modern('tools/call', { name: 'everything__echo', arguments: { message: 'x' } });
    const name = `=?base64?${Buffer.from('everything__echo').toString('base64')}?=`;
    expect((await post(gateway.url, body, { ...headers, 'mcp-name': name })).status).toBe(200);
  });

  it('names what it supports when the version is unknown', async () => {
    const body = rpc('tools/list', {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2031-01-01',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    });
    const answer = await post(gateway.url, body, {
      'mcp-protocol-version': '2031-01-01',
      'mcp-method': 'tools/list',
    });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2031-01-01' },
    });
  });

  it('answers unknown and removed methods with 404', async () => {
    for (const method of ['nope/nope', 'ping', 'logging/setLevel', 'resources/subscribe']) {
      const answer = await post(gateway.url, ...modern(method));
      expect([answer.status, answer.json.error.code]).toEqual([404, -32601]);
    }
  });
});

describe('ids', () => {
  it.each(['1', 1, 0, '', 'a b', 2 ** 53, -1])('%j comes back as it was', async (id) => {
    const answer = await post(gateway.url, rpc('ping', {}, id), session);
    expect(answer.json).toEqual({ jsonrpc: '2.0', id, result: {} });
  });
});

describe('Accept', () => {
  it.each([['application/json'], ['*/*'], ['application/json, text/event-stream']])(
    '%s gets JSON',
    async (accept) => {
      expect((await post(gateway.url, rpc('ping'), { ...session, accept })).headers.get('content-type')).toBe(
        'application/json',
      );
    },
  );
  it('text/event-stream alone gets an event', async () => {
    const answer = await post(gateway.url, rpc('ping'), { ...session, accept: 'text/event-stream' });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.text).toBe('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
  });
  it('neither gets 406 with a JSON-RPC body', async () => {
    const answer = await post(gateway.url, rpc('ping'), { ...session, accept: 'text/html' });
    expect([answer.status, answer.json.error.code]).toEqual([406, -32600]);
  });
});

describe('Host and Origin', () => {
  /** fetch() sets Host itself, so these go by hand. */
  function send(path: string, headers: Record<string, string>, base = gateway.url): Promise<number> {
    const url = new URL(base);
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        {
          host: url.hostname,
          port: url.port,
          path,
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      sent.on('error', reject).end(rpc('ping'));
    });
  }

  it.each(['evil.example', '127.0.0.1.evil', 'localhost.evil.example', '[::2]', 'user@127.0.0.1'])(
    'refuses Host %s on every route',
    async (host) => {
      for (const path of ['/mcp', '/healthz', '/nope']) expect(await send(path, { host })).toBe(403);
      expect(await send('/metrics', { host }, gateway.adminUrl)).toBe(403);
    },
  );

  it.each(['LOCALHOST', '127.0.0.1:1', '[::1]:8080'])('takes the loopback name %s', async (host) => {
    expect(await send('/mcp', { host, ...session })).toBe(200);
  });

  it('refuses a missing Host', async () => {
    const { port } = new URL(gateway.url);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write('POST /mcp HTTP/1.0\r\nContent-Length: 0\r\n\r\n'),
      );
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString())).on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  });

  it.each(['http://evil.example', 'null', 'http://localhost.evil.example', 'file://'])(
    'refuses Origin %s',
    async (origin) => {
      expect(await send('/mcp', { origin, ...session })).toBe(403);
    },
  );

  it('takes an Origin on this machine, and names it', async () => {
    const answer = await post(gateway.url, rpc('ping'), { ...session, origin: 'http://localhost:6274' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'http://localhost:6274',
    ]);
  });
});

it('has no other methods on /mcp', async () => {
  for (const method of ['PUT', 'PATCH', 'HEAD'])
    expect((await fetch(gateway.url, { method })).status).toBe(405);
});

it('ends a session on DELETE, and answers 404 from then on', async () => {
  const own = await openSession(gateway.url);
  expect((await fetch(gateway.url, { method: 'DELETE', headers: own })).status).toBe(204);
  expect((await post(gateway.url, rpc('ping'), own)).status).toBe(404);
});

it('still serves after all of it', async () => {
  const answer = await post(gateway.url, call('{"message":"alive"}'), session);
  expect(answer.json.result.content[0].text).toBe('Echo: alive');
});
