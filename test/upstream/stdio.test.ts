/** The stdio transport with real child processes. */
import { describe, expect, it } from 'vitest';
import { fixture, isAlive, resultOf, serverConfig, start, stdioConfig } from './kit.ts';

const UP = { state: 'up' };
const fails = (code: string, message: string | RegExp = '') =>
  expect.objectContaining({ name: 'GatewayError', code, message: expect.stringMatching(message) });

describe('what a server says beside the protocol', () => {
  it('before it is skipped, with a warning each that names the upstream', async () => {
    const banner = ['Azure DevOps MCP 1.2.3', '', '{"level":"info"}', '[1,2]'];
    const upstream = start(serverConfig({ banner }));
    await upstream.settled;
    expect(upstream.status()).toMatchObject(UP);
    expect(await upstream.call('echo', { a: 1 })).toEqual({ a: 1 });
    const warnings = upstream.logged.filter(([level]) => level === 'warn');
    expect(warnings[0]).toEqual([
      'warn',
      'a line on stdout is no JSON-RPC message; skipped',
      { upstream: 'up', line: 'Azure DevOps MCP 1.2.3' },
    ]);
    expect(warnings).toHaveLength(2); // the object is taken for an answer without an id
    expect(upstream.dropped.toSorted()).toEqual(['noise', 'noise', 'unknown_answer']);
  });

  it('between answers is skipped too, as is an answer that nobody asked for', async () => {
    const upstream = start(serverConfig());
    await upstream.settled;
    expect(await upstream.call('noise')).toBe('quiet');
    expect(upstream.dropped.toSorted()).toEqual(['noise', 'unknown_answer']);
  });
});

describe('a command', () => {
  it('that is not found is named, with the PATH it was looked for on', async () => {
    const upstream = start(stdioConfig('no-such-command', []));
    await upstream.settled;
    expect(upstream.status().state).toBe('down');
    expect(upstream.status().reason).toContain('the command "no-such-command" was not found');
    expect(upstream.status().reason).toContain(`PATH=${process.env['PATH']}`);
    await expect(upstream.call('echo')).rejects.toEqual(fails('upstream_unavailable', 'no-such-command'));
  });

  it('is found on the PATH although env is given, and gets nothing else of our environment', async () => {
    process.env['GATEHOUSE_TEST_SECRET'] = 'never';
    process.env['GATEHOUSE_PASSED'] = 'yes';
    const upstream = start({
      ...serverConfig({}, { env: { X: 'y' }, inheritEnv: ['*_PASSED'] }),
      command: 'node',
    } as ReturnType<typeof serverConfig>);
    await upstream.settled;
    const environment = (await upstream.call('environment')) as Record<string, string>;
    expect(environment).toMatchObject({ X: 'y', GATEHOUSE_PASSED: 'yes', PATH: process.env['PATH'] });
    expect(environment).not.toHaveProperty('GATEHOUSE_TEST_SECRET');
  });

  it('gets its credential as a variable', async () => {
    const credentials = { type: 'environment', name: 'TOKEN', value: 'for-the-child' } as const;
    const upstream = start(serverConfig({}, { credentials }));
    await upstream.settled;
    expect(await upstream.call('environment')).toMatchObject({ TOKEN: 'for-the-child' });
  });

  it('that ends at once is named with its exit and the end of its stderr', async () => {
    const upstream = start(serverConfig({ diesAt: 'initialize', stderr: 'line one\nno licence found\n' }));
    await upstream.settled;
    expect(upstream.status().reason).toMatch(
      /^"\S+" ended \(exit code 1\) before it said anything; PATH=\S.*; stderr ended with: line one \| no licence found/,
    );
  });
});

describe('answers', () => {
  it('with ids as strings are taken', async () => {
    const upstream = start(serverConfig({ stringIds: true }));
    await upstream.settled;
    expect(await upstream.call('echo', { a: 1 })).toEqual({ a: 1 });
  });

  it('come to the calls they belong to', async () => {
    const upstream = start(serverConfig());
    await upstream.settled;
    const numbers = Array.from({ length: 200 }, (_, i) => i);
    const answers = await Promise.all(numbers.map((n) => upstream.call('echo', { n })));
    expect(answers).toEqual(numbers.map((n) => ({ n })));
  });

  it('with a result and an error are refused at once', async () => {
    const upstream = start(serverConfig());
    await upstream.settled;
    await expect(upstream.call('both')).rejects.toEqual(
      fails('upstream_error', 'either a result or an error'),
    );
  });

  it.each([64 * 1024, 1024 * 1024, 5 * 1024 * 1024])('of %i bytes are delivered whole', async (bytes) => {
    const upstream = start(serverConfig());
    await upstream.settled;
    expect(await upstream.call('big', { bytes })).toBe('x'.repeat(bytes));
  });

  it.each([false, true])(
    'longer than the bound are one clear error (id last: %s); the connection lives',
    async (idLast) => {
      const upstream = start(serverConfig({ idLast }), { maxMessage: 100_000 });
      await upstream.settled;
      const hanging = upstream.call('hang', {}, { timeout: 500 });
      await expect(upstream.call('big', { bytes: 200_000 })).rejects.toEqual(
        fails('upstream_error', /larger than limits.result \(100000 bytes\)/),
      );
      expect(await upstream.call('echo', { after: true })).toEqual({ after: true });
      await expect(hanging).rejects.toEqual(fails('timed_out'));
      expect(upstream.dropped).toEqual(['too_long']);
      expect(upstream.status()).toMatchObject({ state: 'up', restarts: 0 });
    },
  );
});

describe('a server that goes away', () => {
  it.each([
    ['die', /exit code 3/],
    ['crash', /signal SIGKILL/],
    ['closeStdout', /closed its stdout/],
  ])(
    'in a call (%s) leaves its outcome unknown within a second, and is started again',
    async (tool, reason) => {
      const upstream = start(serverConfig());
      await upstream.settled;
      const other = upstream.call('hang');
      const started = performance.now();
      await expect(upstream.call(tool)).rejects.toEqual(fails('outcome_unknown', reason));
      expect(performance.now() - started).toBeLessThan(1_000);
      await expect(other).rejects.toEqual(fails('outcome_unknown', reason));
      await upstream.reached(() => upstream.status().state === 'up');
      expect(await upstream.call('echo', { a: 1 })).toEqual({ a: 1 });
      expect(upstream.status()).toMatchObject({ restarts: 1, reason: expect.stringMatching(reason) });
      expect(upstream.lists().tool.length).toBeGreaterThan(5);
    },
  );

  it('after its answer has given its answer', async () => {
    const upstream = start(serverConfig());
    await upstream.settled;
    expect(await upstream.call('answerAndDie')).toBe('last words');
  });

  it('keeps its last-known lists, and says why it is away', async () => {
    const upstream = start(serverConfig(), { pace: { backoffFirst: 60_000 } });
    await upstream.settled;
    const { tool } = upstream.lists();
    await upstream.call('die').catch(() => undefined);
    expect(upstream.status().state).toBe('down');
    expect(upstream.lists().tool).toEqual(tool);
    await expect(upstream.call('echo')).rejects.toEqual(fails('upstream_unavailable', 'exit code 3'));
  });

  it('again and again is started at growing intervals', async () => {
    const upstream = start(serverConfig({ diesAt: 'initialize' }), { pace: { backoffFirst: 8, stable: 0 } });
    await upstream.reached(() => upstream.status().restarts === 5);
    const waits = upstream.logged
      .filter(([, message]) => message === 'upstream is down')
      .map(([, , fields]) => (fields as { retryInMs: number }).retryInMs);
    waits.forEach((wait, i) => {
      expect(wait).toBeGreaterThanOrEqual(4 * 2 ** i);
      expect(wait).toBeLessThanOrEqual(8 * 2 ** i);
    });
  });

  it('while its lists are read is down, not up without them', async () => {
    const upstream = start(serverConfig({ diesAt: 'tools/list' }));
    await upstream.settled;
    expect(upstream.status()).toMatchObject({
      state: 'down',
      reason: expect.stringContaining('exit code 1'),
    });
  });
});

describe('a call', () => {
  it('that is cancelled is cancelled at the server, by the id it has there', async () => {
    const upstream = start(serverConfig());
    await upstream.settled;
    const caller = new AbortController();
    const call = upstream.call('hang', { mark: 7 }, { signal: caller.signal });
    caller.abort(new Error('the user closed the window'));
    await expect(call).rejects.toThrow('the user closed the window');
    const seen = (await upstream.call('seen')) as any[];
    const hung = seen.find((message) => message.params?.arguments?.mark === 7);
    const word = seen.find((message) => message.method === 'notifications/cancelled');
    expect(word.params.requestId).toBe(hung.id);
  });

  it('that was cancelled before is not sent at all', async () => {
    const upstream = start(serverConfig());
    await upstream.settled;
    const call = upstream.call('echo', {}, { signal: AbortSignal.abort(new Error('too late')) });
    await expect(call).rejects.toThrow('too late');
    const seen = (await upstream.call('seen')) as any[];
    expect(seen.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    expect(seen.some(({ method }) => method === 'notifications/cancelled')).toBe(false);
  });

  it('that is not answered in time is given up and cancelled', async () => {
    const upstream = start(serverConfig());
    await upstream.settled;
    await expect(upstream.call('hang', {}, { timeout: 50 })).rejects.toEqual(fails('timed_out', '0.05 s'));
    const seen = (await upstream.call('seen')) as any[];
    expect(seen.some(({ method }) => method === 'notifications/cancelled')).toBe(true);
  });

  it.each(['tok', 7, '7', 0])(
    'has its progress under its own token %j; the server sees ours',
    async (token) => {
      const upstream = start(serverConfig());
      await upstream.settled;
      const messages: unknown[] = [];
      const params = { name: 'progress', _meta: { progressToken: token, other: 1 } };
      const answer = await upstream.request({
        method: 'tools/call',
        params,
        timeout: 5_000,
        onMessage: (message) => messages.push(message),
      });
      expect(messages).toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: token, progress: 1, note: 'kept' },
        },
      ]);
      const [{ text }] = (resultOf(answer) as { content: [{ text: string }] }).content;
      expect(Number.isInteger(JSON.parse(text))).toBe(true);
    },
  );
});

it('answers the questions of a server: ping, and that it cannot do the rest', async () => {
  const upstream = start(serverConfig());
  await upstream.settled;
  await upstream.call('ask');
  const seen = (await upstream.call('seen')) as any[];
  expect(seen.find(({ id }) => id === 'q1')).toEqual({ jsonrpc: '2.0', id: 'q1', result: {} });
  expect(seen.find(({ id }) => id === 'q2')).toMatchObject({ error: { code: -32601 } });
});

it('finds a modern server by its answer to server/discover', async () => {
  const upstream = start(serverConfig({ modern: true }));
  await upstream.settled;
  expect(upstream.status()).toMatchObject({ state: 'up', server: { era: 'modern', version: '2026-07-28' } });
  const seen = (await upstream.call('seen')) as any[];
  expect(seen.at(-1).params._meta).toMatchObject({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'gatehouse' },
  });
});

describe('closing', () => {
  it('ends a wrapper shell and what it started, although that ignores stdin and SIGTERM', async () => {
    const script = `${process.execPath} ${fixture('stubborn.ts')} & ${process.execPath} ${fixture('stdio-server.ts')}; wait`;
    const upstream = start(stdioConfig('sh', ['-c', script]));
    await upstream.settled;
    let pid = 0;
    await upstream.reached(() => {
      const lines = upstream.logged.map(([, , fields]) => (fields as { line?: string }).line ?? '');
      pid = Number(lines.find((line) => line.startsWith('stubborn '))?.slice('stubborn '.length) ?? 0);
      return pid > 0;
    });
    expect(isAlive(pid)).toBe(true);
    const started = performance.now();
    await upstream.close();
    expect(isAlive(pid)).toBe(false);
    expect(performance.now() - started).toBeLessThan(8_000);
    expect(upstream.status().state).toBe('closed');
  });

  it('does not wait for a server that never answers', async () => {
    const upstream = start(serverConfig({ silentAt: 'initialize', stderr: 'here\n' }));
    await upstream.reached(() => upstream.logged.some(([, message]) => message === 'stderr'));
    const started = performance.now();
    await upstream.close();
    expect(performance.now() - started).toBeLessThan(3_000);
    await upstream.settled;
    expect(upstream.status().state).toBe('closed');
  });

  it('ends what is under way', async () => {
    const upstream = start(serverConfig());
    await upstream.settled;
    const call = upstream.call('hang');
    await Promise.all([
      expect(call).rejects.toEqual(fails('outcome_unknown', 'closed by the gateway')),
      upstream.close(),
    ]);
    await expect(upstream.call('echo')).rejects.toEqual(fails('upstream_unavailable'));
  });
});
