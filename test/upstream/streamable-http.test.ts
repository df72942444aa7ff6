/** The Streamable HTTP transport against real servers on free ports. */
import { describe, expect, it } from 'vitest';
import { legacyServer, modernServer, text, type Exchange, type Handlers } from './http-server.ts';
import { httpConfig, resultOf, start, type Watched } from './kit.ts';

const fails = (code: string, message: string | RegExp = '') =>
  expect.objectContaining({ name: 'GatewayError', code, message: expect.stringMatching(message) });

/** An upstream of a legacy server with these changes, started and up. */
async function up(changes: Handlers = {}, more: Parameters<typeof start>[1] = {}) {
  const server = await legacyServer(changes);
  const upstream = start(httpConfig(server.url), { rememberedEra: 'legacy', ...more });
  await upstream.settled;
  expect(upstream.status().state).toBe('up');
  return { server, upstream };
}

/** A gate that a test opens. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('a request', () => {
  it('carries session, version and credential, and is answered as JSON', async () => {
    const server = await legacyServer();
    const credentials = { type: 'header', name: 'X-Key', value: 'for-the-server' } as const;
    const upstream = start(httpConfig(server.url, { credentials }), { rememberedEra: 'legacy' });
    await upstream.settled;
    expect(await upstream.call('echo', { a: 'ü' })).toEqual({ a: 'ü' });
    expect(server.of('initialize')[0]!.headers).not.toHaveProperty('mcp-session-id');
    for (const method of ['notifications/initialized', 'tools/list', 'tools/call'])
      expect(server.of(method)[0]!.headers).toMatchObject({
        'mcp-session-id': 's1',
        'mcp-protocol-version': '2025-06-18',
        'x-key': 'for-the-server',
        accept: 'application/json, text/event-stream',
      });
    await upstream.close();
    expect(server.requests.at(-1)).toMatchObject({ verb: 'DELETE', headers: { 'mcp-session-id': 's1' } });
  });

  it('is not sent before the server has taken notifications/initialized', async () => {
    let taken = false;
    let early = 0;
    const { server } = await up({
      'notifications/initialized': (exchange) =>
        setTimeout(() => {
          taken = true;
          exchange.send(202);
        }, 50),
      'tools/list': (exchange) => {
        if (!taken) early++;
        exchange.result({ tools: [] });
      },
    });
    expect(server.count('tools/list')).toBe(1);
    expect(early).toBe(0);
  });

  it.each([
    ['202 and text', 202, 'Accepted'],
    ['204', 204, ''],
    ['200 and null', 200, 'null'],
    ['500', 500, 'oops'],
  ])('is served although notifications are answered with %s', async (_what, status, body) => {
    const { upstream } = await up({ 'notifications/initialized': (exchange) => exchange.send(status, body) });
    expect(await upstream.call('echo', { a: 1 })).toEqual({ a: 1 });
  });

  it('that is cancelled is cancelled at a legacy server by the id and in the session it has there', async () => {
    const called = gate();
    const told = gate();
    const { server, upstream } = await up({
      'tools/call': () => called.open(),
      'notifications/cancelled': (exchange) => (exchange.send(202), told.open()),
    });
    const caller = new AbortController();
    const call = upstream.call('hang', {}, { signal: caller.signal });
    await called.opened;
    caller.abort(new Error('closed the window'));
    await expect(call).rejects.toThrow('closed the window');
    await told.opened;
    const [word] = server.of('notifications/cancelled');
    expect(word!.message.params.requestId).toBe(server.of('tools/call')[0]!.message.id);
    expect(word!.headers['mcp-session-id']).toBe('s1');
  });

  it('is given up in time although every connection is taken, and not sent later', async () => {
    const free = gate();
    const { server, upstream } = await up({
      async 'tools/call'(exchange) {
        await free.opened;
        exchange.result(text('done'));
      },
    });
    const waiting = Array.from({ length: 64 }, () => upstream.call('waits'));
    const started = performance.now();
    await expect(upstream.call('late', {}, { timeout: 100 })).rejects.toEqual(fails('timed_out'));
    expect(performance.now() - started).toBeLessThan(1_000);
    free.open();
    await Promise.all(waiting);
    await upstream.call('after');
    const names = server.of('tools/call').map(({ message }) => message.params.name as string);
    expect(names).not.toContain('late');
  });
});

describe('an answer in a stream of events', () => {
  const answered = async (write: (exchange: Exchange, message: string) => void): Promise<unknown> => {
    const { upstream } = await up({
      'tools/call': (exchange) =>
        write(
          exchange,
          JSON.stringify({ jsonrpc: '2.0', id: exchange.message.id, result: text('grüße €🎈') }),
        ),
    });
    return upstream.call('echo');
  };

  it.each([
    ['line feeds', (message: string) => `event: message\ndata: ${message}\n\n`],
    [
      'CRLF, comments, no space',
      (message: string) => `: hello\r\nid:1\r\nretry:5\r\ndata:${message}\r\n\r\n`,
    ],
    ['carriage returns', (message: string) => `: hello\rdata: ${message}\r\r`],
    ['several data lines', (message: string) => `data: ${message.replaceAll(',', ',\ndata: ')}\n\n`],
    [
      'a byte order mark and empty events',
      (message: string) => `\ufeffid: 0\ndata:\n\n\n\ndata: ${message}\n\n`,
    ],
    [
      'noise, and an answer to nobody',
      (message: string) => `data: hi\n\ndata: {"id":99,"result":{}}\n\ndata: ${message}\n\n`,
    ],
  ])('is read with %s', async (_what, format) => {
    const write = (exchange: Exchange, message: string): void => {
      const stream = exchange.stream();
      stream.raw(format(message));
      stream.end();
    };
    expect(await answered(write)).toBe('grüße €🎈');
  });

  it('is read byte by byte', async () => {
    const write = (exchange: Exchange, message: string): void => {
      const stream = exchange.stream({ 'content-type': 'Text/Event-Stream; charset=utf-8' });
      const bytes = [...Buffer.from(`data: ${message}\r\n\r\n`)];
      const next = (): void => {
        const byte = bytes.shift();
        if (byte === undefined) return;
        stream.raw(Buffer.of(byte));
        setImmediate(next);
      };
      next();
    };
    expect(await answered(write)).toBe('grüße €🎈');
  });

  it('comes after the progress that belongs to it, under the token of the caller', async () => {
    const { server, upstream } = await up({
      'tools/call'(exchange) {
        const stream = exchange.stream();
        const { progressToken } = exchange.message.params._meta;
        stream.event({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
        stream.event({ method: 'notifications/progress', params: { progressToken: 12345, progress: 9 } });
        stream.event({ method: 'notifications/message', params: { level: 'info', data: 'mine' } });
        stream.event({ id: exchange.message.id, result: text('done') });
        stream.event({ method: 'notifications/message', params: { level: 'info', data: 'too late' } });
        stream.end();
      },
    });
    const messages: any[] = [];
    const params = { name: 'echo', _meta: { progressToken: '5' } };
    const onMessage = (message: object): number => messages.push(message);
    await upstream.request({ method: 'tools/call', params, timeout: 1_000, onMessage });
    expect(messages.map(({ params }) => params)).toEqual([
      { progressToken: '5', progress: 1 },
      { level: 'info', data: 'mine' },
    ]);
    expect(typeof server.of('tools/call')[0]!.message.params._meta.progressToken).toBe('number');
  });

  it('that does not come leaves the outcome unknown', async () => {
    const { upstream } = await up({ 'tools/call': (exchange) => exchange.stream().end() });
    await expect(upstream.call('echo')).rejects.toEqual(fails('outcome_unknown', 'ended before the answer'));
  });

  it('gives the connection back when the stream ends', async () => {
    const sockets = new Set<unknown>();
    const { upstream } = await up({
      'tools/call'(exchange) {
        sockets.add(exchange.response.socket);
        const stream = exchange.stream();
        stream.event({ id: exchange.message.id, result: text('x') });
        setTimeout(() => stream.end(), 5);
      },
    });
    for (let i = 0; i < 8; i++) {
      await upstream.call('echo');
      await new Promise((resolve) => setTimeout(resolve, 30)); // the end of the stream has no other sign
    }
    // The first call may have found the first connection taken by the GET.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  it('longer than the bound is one clear error', async () => {
    const endless = (exchange: Exchange): void => exchange.stream().raw(`data: ${'x'.repeat(300_000)}`);
    const { upstream } = await up({ 'tools/call': endless }, { maxMessage: 100_000 });
    await expect(upstream.call('echo')).rejects.toEqual(fails('upstream_error', 'larger than limits.result'));
    expect(upstream.status().state).toBe('up');
  });

  it('comes after whatever length of comments', async () => {
    const { upstream } = await up(
      {
        'tools/call'(exchange) {
          const stream = exchange.stream();
          stream.raw(`: ${'x'.repeat(300_000)}\n`);
          stream.event({ id: exchange.message.id, result: text('fine') });
        },
      },
      { maxMessage: 100_000 },
    );
    expect(await upstream.call('echo')).toBe('fine');
  });
});

describe('a lost session', () => {
  const forms: [string, (exchange: Exchange) => void][] = [
    ['404', (exchange) => exchange.send(404)],
    [
      '404 and an error without id',
      (exchange) => exchange.error({ code: -32001, message: 'Session not found' }, 404, null),
    ],
    ['404 and an error with the id', (exchange) => exchange.error({ code: -32001, message: 'gone' }, 404)],
    [
      '400 and an error without id',
      (exchange) =>
        exchange.error({ code: -32000, message: 'Bad Request: No valid session ID provided' }, 400, null),
    ],
    [
      '400 and a foreign id',
      (exchange) => exchange.error({ code: -32600, message: 'Session not found' }, 400, 'server-error'),
    ],
    ['400 and the id', (exchange) => exchange.error({ code: -32000, message: 'session expired' }, 400)],
    ['400 and text', (exchange) => exchange.send(400, 'Invalid session ID')],
  ];

  /** A server that knows only its newest session. */
  function forgetful(lose: (exchange: Exchange) => void, also: Handlers = {}) {
    let known = 's1';
    const changes: Handlers = {
      'tools/call': (exchange) =>
        exchange.headers['mcp-session-id'] === known
          ? exchange.result(text(exchange.message.params.arguments))
          : lose(exchange),
      ...also,
    };
    return { changes, restart: () => (known = 's2') };
  }

  it.each(forms)('(%s) is opened anew, and the call repeated once', async (_form, lose) => {
    const { changes, restart } = forgetful(lose);
    const { server, upstream } = await up(changes);
    restart();
    expect(await upstream.call('echo', { a: 1 })).toEqual({ a: 1 });
    expect(server.count('initialize')).toBe(2);
    expect(server.of('tools/call').map(({ headers }) => headers['mcp-session-id'])).toEqual(['s1', 's2']);
    expect(upstream.status()).toMatchObject({ state: 'up', restarts: 0 });
  });

  it('is opened anew once for many calls, and none of them fails', async () => {
    const { changes, restart } = forgetful((exchange) =>
      setTimeout(() => exchange.send(404), Math.random() * 30),
    );
    const { server, upstream } = await up(changes);
    restart();
    const numbers = Array.from({ length: 40 }, (_, i) => i);
    expect(await Promise.all(numbers.map((n) => upstream.call('echo', { n })))).toEqual(
      numbers.map((n) => ({ n })),
    );
    expect(server.count('initialize')).toBe(2);
  });

  it('shows the upstream as not up until it is back; calls wait for it', async () => {
    const again = gate();
    let sessions = 0;
    const { changes, restart } = forgetful((exchange) => exchange.send(404), {
      async initialize(exchange) {
        if (++sessions > 1) await again.opened;
        exchange.response.setHeader('mcp-session-id', `s${sessions}`);
        exchange.result({ protocolVersion: '2025-06-18', capabilities: { tools: {} } });
      },
    });
    const { upstream } = await up(changes);
    restart();
    const first = upstream.call('echo', { n: 1 });
    await upstream.reached(() => upstream.status().state === 'starting');
    expect(upstream.status().reason).toContain('no longer knows the session');
    const second = upstream.call('echo', { n: 2 });
    again.open();
    expect(await Promise.all([first, second])).toEqual([{ n: 1 }, { n: 2 }]);
    expect(upstream.status().state).toBe('up');
  });

  it('does not end the calls that another worker of the server still runs', async () => {
    const running = gate();
    const { upstream } = await up({
      async 'tools/call'(exchange) {
        if (exchange.message.params.name === 'lost' && exchange.headers['mcp-session-id'] === 's1')
          return exchange.send(404);
        if (exchange.message.params.name === 'slow') await running.opened;
        return exchange.result(text('done'));
      },
    });
    const slow = upstream.call('slow');
    expect(await upstream.call('lost')).toBe('done');
    running.open();
    expect(await slow).toBe('done');
  });

  it('that is lost again at once is told, not tried for ever', async () => {
    const { server, upstream } = await up({ 'tools/call': (exchange) => exchange.send(404) });
    await expect(upstream.call('echo')).rejects.toEqual(fails('upstream_unavailable', 'lost the session'));
    expect(server.count('tools/call')).toBe(2);
    expect(server.count('initialize')).toBe(2);
  });

  it('that cannot be opened anew leaves the call not run, not its outcome unknown', async () => {
    let sessions = 0;
    const { upstream } = await up(
      {
        'tools/call': (exchange) => exchange.send(404),
        initialize(exchange) {
          if (++sessions > 1) return exchange.response.destroy();
          exchange.response.setHeader('mcp-session-id', 's1');
          return exchange.result({ protocolVersion: '2025-06-18', capabilities: { tools: {} } });
        },
      },
      { pace: { backoffFirst: 60_000 } },
    );
    await expect(upstream.call('echo')).rejects.toEqual(fails('upstream_unavailable'));
    expect(upstream.status().state).toBe('down');
  });

  it.each([
    [
      'another 400',
      (exchange: Exchange) =>
        exchange.error({ code: -32602, message: 'session_length must be a number' }, 400),
    ],
    [
      'an error with the status 200',
      (exchange: Exchange) => exchange.error({ code: -32001, message: 'Session not found' }),
    ],
  ])('is not seen in %s: that is the answer', async (_what, refuse) => {
    const { server, upstream } = await up({ 'tools/call': refuse });
    const answer = await upstream.request({ method: 'tools/call', params: {}, timeout: 1_000 });
    expect(answer.top.has('error')).toBe(true);
    expect(server.count('initialize')).toBe(1);
  });
});

describe('what is no answer', () => {
  it.each([
    [
      '401',
      (exchange: Exchange) => exchange.send(401, '{"error":"invalid_token"}'),
      'HTTP 401: the server refused the credential',
    ],
    ['403', (exchange: Exchange) => exchange.send(403), 'HTTP 403: the server refused the credential'],
    [
      '502 with a page',
      (exchange: Exchange) => exchange.send(502, '<html>\n<h1>Bad Gateway</h1>'),
      'HTTP 502: <html> <h1>Bad Gateway</h1>',
    ],
    ['502 with a long page', (exchange: Exchange) => exchange.send(502, 'x'.repeat(100_000)), 'HTTP 502'],
    [
      '429',
      (exchange: Exchange) => exchange.send(429, 'slow down', { 'retry-after': '5' }),
      'HTTP 429: slow down',
    ],
    [
      '200 with a page',
      (exchange: Exchange) => exchange.send(200, '<html>', { 'content-type': 'text/html' }),
      'the body is no answer',
    ],
    ['200 and null', (exchange: Exchange) => exchange.send(200, 'null'), 'the body is no answer'],
    [
      'the answer to another',
      (exchange: Exchange) => exchange.send(200, '{"jsonrpc":"2.0","id":4711,"result":{}}'),
      'the body is no answer',
    ],
    [
      'an answer twice',
      (exchange: Exchange) => exchange.send(200, '{"id":1,"result":{},"result":{}}'),
      'the body is no answer',
    ],
    ['202', (exchange: Exchange) => exchange.send(202, 'Accepted'), 'HTTP 202: Accepted'],
    ['204', (exchange: Exchange) => exchange.send(204), 'HTTP 204'],
    [
      'a result and an error',
      (exchange: Exchange) =>
        exchange.send(200, `{"jsonrpc":"2.0","id":${exchange.message.id},"result":{},"error":{}}`),
      'either a result or an error',
    ],
  ])('(%s) is told as such; the upstream stays up', async (_what, refuse, reason) => {
    const { upstream } = await up({ 'tools/call': refuse });
    await expect(upstream.call('echo')).rejects.toEqual(fails('upstream_error', reason));
    expect(upstream.status()).toMatchObject({ state: 'up', restarts: 0 });
  });

  it('as a redirect is not followed, least of all with the credential', async () => {
    const elsewhere = await legacyServer();
    const server = await legacyServer({
      initialize: (exchange) => exchange.send(307, '', { location: elsewhere.url }),
    });
    const credentials = { type: 'header', name: 'Authorization', value: 'Bearer for-one-server' } as const;
    const upstream = start(httpConfig(server.url, { credentials }));
    await upstream.settled;
    expect(upstream.status()).toMatchObject({
      state: 'down',
      reason: expect.stringContaining('redirects are not followed'),
    });
    expect(elsewhere.requests).toEqual([]);
  });

  it('longer than the bound is one clear error', async () => {
    const { upstream } = await up(
      { 'tools/call': (exchange) => exchange.result(text('x'.repeat(200_000))) },
      { maxMessage: 100_000 },
    );
    await expect(upstream.call('echo')).rejects.toEqual(fails('upstream_error', 'larger than limits.result'));
    expect(upstream.status().state).toBe('up');
  });

  it('as a refused credential at the start is the reason why it is down', async () => {
    const server = await legacyServer({
      initialize: (exchange) => exchange.send(401),
      'server/discover': (exchange) => exchange.send(401),
    });
    const upstream = start(httpConfig(server.url));
    await upstream.settled;
    expect(upstream.status().reason).toContain('HTTP 401: the server refused the credential');
    expect(server.count('initialize')).toBe(0);
  });
});

describe('a server that is not there', () => {
  it('is down with the reason, and taken back when it comes', async () => {
    const first = await legacyServer();
    await first.stop();
    const upstream = start(httpConfig(first.url));
    await upstream.settled;
    expect(upstream.status()).toMatchObject({
      state: 'down',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    await expect(upstream.call('echo')).rejects.toEqual(fails('upstream_unavailable', 'ECONNREFUSED'));
    await legacyServer({}, first.port);
    await upstream.reached(() => upstream.status().state === 'up');
    expect(await upstream.call('echo', { a: 1 })).toEqual({ a: 1 });
  });

  it('any more is down once, however many calls find it out', async () => {
    const { server, upstream } = await up({}, { pace: { backoffFirst: 60_000 } });
    await server.stop();
    const calls = await Promise.allSettled(Array.from({ length: 30 }, () => upstream.call('echo')));
    for (const call of calls)
      expect(call).toMatchObject({ status: 'rejected', reason: fails('upstream_unavailable') });
    expect(upstream.status()).toMatchObject({ state: 'down', restarts: 1 });
    expect(upstream.lists().tool).toHaveLength(2);
  });

  it('for the rest of a call leaves its outcome unknown within a second', async () => {
    const { upstream } = await up({ 'tools/call': (exchange) => exchange.response.destroy() });
    const started = performance.now();
    await expect(upstream.call('echo')).rejects.toEqual(fails('outcome_unknown'));
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('is noticed by the end of the stream of announcements', async () => {
    const { server, upstream } = await up(
      { GET: (exchange) => exchange.stream() },
      { pace: { backoffFirst: 60_000 } },
    );
    await server.stop();
    await upstream.reached(() => upstream.status().state === 'down');
    expect(upstream.status().reason).toContain('ECONNREFUSED');
  });
});

describe('the era', () => {
  it('is modern where server/discover answers', async () => {
    const server = await modernServer();
    const upstream = start(httpConfig(server.url));
    await upstream.settled;
    expect(upstream.status()).toMatchObject({
      state: 'up',
      server: { era: 'modern', version: '2026-07-28' },
    });
    expect(await upstream.call('größe', { a: 1 })).toEqual({ a: 1 });
    const [call] = server.of('tools/call');
    expect(call!.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': '=?base64?Z3LDtsOfZQ==?=',
    });
    expect(call!.headers).not.toHaveProperty('mcp-session-id');
    expect(call!.message.params._meta).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'gatehouse', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    });
    expect(server.count('initialize')).toBe(0);
  });

  it.each([
    ['404', (exchange: Exchange) => exchange.error({ code: -32601, message: 'no' }, 404)],
    [
      '400 for want of a session',
      (exchange: Exchange) => exchange.error({ code: -32000, message: 'No valid session ID' }, 400, null),
    ],
    ['200 and an error', (exchange: Exchange) => exchange.error({ code: -32601, message: 'no' })],
    ['a page', (exchange: Exchange) => exchange.send(200, '<html>')],
    ['other versions', (exchange: Exchange) => exchange.result({ supportedVersions: ['2027-01-01'] })],
  ])('is legacy where server/discover gets %s', async (_what, refuse) => {
    const server = await legacyServer({ 'server/discover': refuse });
    const upstream = start(httpConfig(server.url));
    await upstream.settled;
    expect(upstream.status()).toMatchObject({
      state: 'up',
      server: { era: 'legacy', version: '2025-06-18' },
    });
  });

  it('that was remembered is tried first, and found again when it has changed', async () => {
    const legacy = await legacyServer();
    const remembered = start(httpConfig(legacy.url), { rememberedEra: 'legacy' });
    await remembered.settled;
    expect(legacy.count('server/discover')).toBe(0);
    const modern = await modernServer();
    const changed = start(httpConfig(modern.url), { rememberedEra: 'legacy' });
    await changed.settled;
    expect(changed.status().server?.era).toBe('modern');
  });

  it('that neither side knows is told with both reasons', async () => {
    const server = await legacyServer({
      initialize: (exchange) => exchange.result({ protocolVersion: '1999-01-01' }),
    });
    const upstream = start(httpConfig(server.url));
    await upstream.settled;
    expect(upstream.status().reason).toMatch(/neither initialize nor server\/discover.*1999-01-01/);
  });

  it('modern: an unknown method is an answer, not a lost session', async () => {
    const server = await modernServer({
      'tools/call': (exchange) => exchange.error({ code: -32601, message: 'no' }, 404),
    });
    const upstream = start(httpConfig(server.url));
    await upstream.settled;
    const answer = await upstream.request({ method: 'tools/call', params: {}, timeout: 1_000 });
    expect(answer.top.has('error')).toBe(true);
    expect(server.count('server/discover')).toBe(1);
  });

  it('modern: a closed stream is word enough that a call is cancelled', async () => {
    const called = gate();
    const gone = gate();
    const server = await modernServer({
      'tools/call'(exchange) {
        if (exchange.message.params.name === 'echo') return exchange.result(text('still here'));
        exchange.response.once('close', () => gone.open());
        return called.open();
      },
    });
    const upstream = start(httpConfig(server.url));
    await upstream.settled;
    const caller = new AbortController();
    const call = upstream.call('hang', {}, { signal: caller.signal });
    await called.opened;
    caller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await gone.opened;
    // A word on the way would have come before this answer.
    expect(await upstream.call('echo')).toBe('still here');
    expect(server.count('notifications/cancelled')).toBe(0);
  });
});

describe('lists', () => {
  const names = (upstream: Watched): unknown[] => upstream.lists().tool.map(({ name }) => name);
  const warned = (upstream: Watched): string[] =>
    upstream.logged.filter(([level]) => level === 'warn').map(([, message]) => message);

  it('are read over all their pages', async () => {
    const pages: Record<string, object> = {
      first: { tools: [{ name: 'a' }, { name: 'b' }], nextCursor: 'two' },
      two: { tools: [{ name: 'c' }], nextCursor: 'three' },
      three: { tools: [{ name: 'd' }, 'no object', null], nextCursor: '' },
    };
    const { server, upstream } = await up({
      'tools/list': (exchange) => exchange.result(pages[exchange.message.params.cursor ?? 'first']!),
    });
    expect(names(upstream)).toEqual(['a', 'b', 'c', 'd']);
    expect(server.count('tools/list')).toBe(3);
    expect(warned(upstream)).toEqual([]);
  });

  it('whose cursor repeats are kept as far as they were read', async () => {
    let page = 0;
    const { upstream } = await up({
      'tools/list': (exchange) => exchange.result({ tools: [{ name: `t${++page}` }], nextCursor: 'again' }),
    });
    expect(names(upstream)).toEqual(['t1', 't2']);
    expect(warned(upstream)).toEqual(['tools/list: the server repeats a cursor; the walk was stopped']);
  });

  it('that never end are kept as far as they were read', async () => {
    let page = 0;
    const { upstream } = await up({
      'tools/list': (exchange) =>
        exchange.result({ tools: [{ name: `t${page}` }], nextCursor: `c${page++}` }),
    });
    expect(names(upstream)).toHaveLength(200);
    expect(warned(upstream)).toEqual(['tools/list: more than 200 pages; the rest is left out']);
  });

  it('of 200,000 entries are cut', async () => {
    const tools = `[${Array.from({ length: 200_000 }, () => '{}').join(',')}]`;
    const { upstream } = await up({
      'tools/list': (exchange) =>
        exchange.send(200, `{"jsonrpc":"2.0","id":${exchange.message.id},"result":{"tools":${tools}}}`),
    });
    expect(upstream.lists().tool).toHaveLength(10_000);
    expect(warned(upstream)[0]).toContain('more than 10000 entries');
  });

  it('keep every number and member of a definition', async () => {
    const definition = '{"name":"a","inputSchema":{"maximum":9007199254740993,"multipleOf":1.0},"x":null}';
    const { upstream } = await up({
      'tools/list': (exchange) =>
        exchange.send(
          200,
          `{"jsonrpc":"2.0","id":${exchange.message.id},"result":{"tools":[${definition}]}}`,
        ),
    });
    expect(JSON.stringify(upstream.lists().tool[0])).toBe(definition);
  });

  it('that are announced 500 times are read again a few times, and the last state arrives', async () => {
    let version = 0;
    const stream = gate();
    let announce: () => void = () => undefined;
    const { server, upstream } = await up({
      'tools/list': (exchange) => exchange.result({ tools: [{ name: `v${version}` }] }),
      GET(exchange) {
        const events = exchange.stream();
        announce = () => events.event({ method: 'notifications/tools/list_changed' });
        stream.open();
      },
    });
    await stream.opened;
    const before = server.count('tools/list');
    const started = performance.now();
    for (let i = 0; i < 500; i++) {
      version++;
      announce();
      if (i % 50 === 0) await new Promise(setImmediate);
    }
    await upstream.reached(() => names(upstream)[0] === 'v500');
    const periods = (performance.now() - started) / 50;
    expect(server.count('tools/list') - before).toBeLessThanOrEqual(periods + 1);
  });

  it('that change while they are read are read once more', async () => {
    const reading = gate();
    const answer = gate();
    const stream = gate();
    let announce: () => void = () => undefined;
    let reads = 0;
    const { server, upstream } = await up({
      async 'tools/list'(exchange) {
        const read = ++reads;
        if (read === 2) {
          reading.open();
          await answer.opened;
        }
        exchange.result({ tools: [{ name: `read ${read}` }] });
      },
      GET(exchange) {
        const events = exchange.stream();
        announce = () => events.event({ method: 'notifications/tools/list_changed' });
        stream.open();
      },
    });
    await stream.opened;
    announce();
    await reading.opened;
    for (let i = 0; i < 10; i++) announce();
    answer.open();
    await upstream.reached(() => names(upstream)[0] === 'read 3');
    expect(server.count('tools/list')).toBe(3);
  });

  it('that cannot be read again stay as they were', async () => {
    const stream = gate();
    let announce: () => void = () => undefined;
    let broken = false;
    const { upstream } = await up({
      'tools/list': (exchange) =>
        broken
          ? exchange.error({ code: -32603, message: 'database is locked' })
          : exchange.result({ tools: [{ name: 'a' }] }),
      GET(exchange) {
        const events = exchange.stream();
        announce = () => events.event({ method: 'notifications/tools/list_changed' });
        stream.open();
      },
    });
    await stream.opened;
    broken = true;
    announce();
    await upstream.reached(() => warned(upstream).length > 0);
    expect(warned(upstream)[0]).toMatch(/^tools\/list: failed: .*database is locked/);
    expect(names(upstream)).toEqual(['a']);
    expect(upstream.status().state).toBe('up');
  });

  it.each(['legacy', 'modern'] as const)(
    'are read again when the stream of announcements was away (%s)',
    async (era) => {
      let version = 1;
      const open = era === 'legacy' ? 'GET' : 'subscriptions/listen';
      const streams: { end(): void }[] = [];
      const changes: Handlers = {
        'tools/list': (exchange) => exchange.result({ tools: [{ name: `v${version}` }] }),
        [open](exchange: Exchange) {
          streams.push(exchange.stream());
        },
      };
      const server = await (era === 'legacy' ? legacyServer(changes) : modernServer(changes));
      const upstream = start(httpConfig(server.url));
      await upstream.settled;
      await until(() => streams.length === 1);
      version = 2; // unannounced
      streams[0]!.end();
      await upstream.reached(() => names(upstream)[0] === 'v2');
      expect(streams).toHaveLength(2);
    },
  );

  it('of a modern server are subscribed to by what it offers', async () => {
    const subscribed = gate();
    const server = await modernServer({
      'subscriptions/listen'(exchange) {
        exchange.stream();
        subscribed.open();
      },
    });
    const upstream = start(httpConfig(server.url));
    await upstream.settled;
    await subscribed.opened;
    expect(server.of('subscriptions/listen')[0]!.message.params.notifications).toEqual({
      toolsListChanged: true,
    });
  });
});

it('answers a question that comes on the stream of a call, in the session', async () => {
  const answered = gate();
  const { server, upstream } = await up({
    'tools/call'(exchange) {
      const stream = exchange.stream();
      stream.event({ id: 'q', method: 'elicitation/create', params: {} });
      void answered.opened.then(() => stream.event({ id: exchange.message.id, result: text('went on') }));
    },
    response: (exchange) => (exchange.send(202), answered.open()),
  });
  expect(await upstream.call('echo')).toBe('went on');
  const answer = server.requests.find(({ message }) => (message.id as unknown) === 'q')!;
  expect(answer.message).toMatchObject({ error: { code: -32601 } });
  expect(answer.headers['mcp-session-id']).toBe('s1');
});

it('closes although the server does not answer', async () => {
  const asked = gate();
  const server = await legacyServer({ 'server/discover': () => asked.open() });
  const upstream = start(httpConfig(server.url));
  await asked.opened;
  const started = performance.now();
  await upstream.close();
  expect(performance.now() - started).toBeLessThan(1_000);
});

it('gives the result as the bytes that came', async () => {
  const result = '{ "content":[],"structuredContent":{"big":12345678901234567890,"x":1.0}, "new":null}';
  const { upstream } = await up({
    'tools/call': (exchange) =>
      exchange.send(200, `{"jsonrpc":"2.0","id":${exchange.message.id},"result":${result}}`),
  });
  const { bytes, top } = await upstream.request({ method: 'tools/call', params: {}, timeout: 1_000 });
  expect(bytes.toString('utf8', ...top.get('result')!)).toBe(result);
  expect(resultOf({ bytes, top, result: new Map() })).toMatchObject({ new: null });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}
