/**
 * 50 clients × 20 upstreams, all with the same ids and progress tokens and with random delays: every answer and every
 * notice carries the mark of its caller. GATEHOUSE_CROSSED_SECONDS sets the length (CI: 60).
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { modern, openSession, post, startGateway, type TestGateway } from './kit.ts';

const SECONDS = Number(process.env['GATEHOUSE_CROSSED_SECONDS'] ?? 10);
const CLIENTS = 50;
const HTTP = 15;
const STDIO = 5;
const MARKING = fileURLToPath(new URL('../fixtures/marking.ts', import.meta.url));

const servers: Server[] = [];
let gateway: TestGateway;

/** Answers after a random time with the mark it was sent, after two notices of progress with the same mark. */
function startMarking(): Promise<number> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body || '{}') as {
        id?: number;
        method?: string;
        params?: any;
      };
      if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
      const json = (result: object): void =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      if (method === 'initialize')
        return json({
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'm', version: '1' },
        });
      if (method === 'tools/list')
        return json({ tools: [{ name: 'mark', inputSchema: { type: 'object' } }] });
      if (method !== 'tools/call') return void response.writeHead(404).end();
      const { mark } = params.arguments;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const event = (message: object): void =>
        void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
      const progress = (value: number): void =>
        event({
          method: 'notifications/progress',
          params: { progressToken: params._meta.progressToken, progress: value, message: mark },
        });
      progress(1);
      return void setTimeout(() => {
        progress(2);
        event({ id, result: { content: [{ type: 'text', text: mark }] } });
        response.end();
      }, Math.random() * 20);
    });
  });
  servers.push(server);
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
}

beforeAll(async () => {
  const ports = await Promise.all(Array.from({ length: HTTP }, startMarking));
  const web = ports.map((port, i) => `  web${i}: { url: "http://127.0.0.1:${port}/mcp" }`);
  const pipes = Array.from(
    { length: STDIO },
    (_, i) => `  pipe${i}: { command: ${process.execPath}, args: [${MARKING}] }`,
  );
  gateway = await startGateway({ yaml: `upstreams:\n${[...web, ...pipes].join('\n')}\n` });
}, 60_000);

afterAll(async () => {
  await gateway.stop();
  for (const server of servers) server.close();
});

/** Progress arrives before the answer, in order, with the caller's own token and mark. */
function check(text: string, mark: string): string | undefined {
  const messages = text.startsWith('{')
    ? [JSON.parse(text)]
    : text
        .split('\n\n')
        .filter(Boolean)
        .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)));
  const answer = messages.at(-1);
  const notices = messages.slice(0, -1);
  const right =
    answer?.id === 1 &&
    answer.result?.content?.[0]?.text === mark &&
    notices.every(
      ({ params }: any, i: number) =>
        params.progressToken === 1 && params.message === mark && params.progress === i + 1,
    ) &&
    notices.length === 2;
  return right ? undefined : `${mark} got ${text}`;
}

it(
  `crosses no delivery in ${SECONDS} s`,
  async () => {
    const end = performance.now() + SECONDS * 1_000;
    const wrong: string[] = [];
    let calls = 0;
    async function client(number: number): Promise<void> {
      const session = number % 2 === 0 ? await openSession(gateway.url) : undefined;
      for (let i = 0; performance.now() < end && wrong.length === 0; i++) {
        const at = Math.floor(Math.random() * (HTTP + STDIO));
        const name = `${at < HTTP ? `web${at}` : `pipe${at - HTTP}`}__mark`;
        const mark = `client ${number} call ${i}`;
        const params = { name, arguments: { mark }, _meta: { progressToken: 1 } };
        const [body, headers] = modern('tools/call', params);
        const message = JSON.parse(body);
        message.params._meta = { ...(session ? {} : message.params._meta), progressToken: 1 };
        const { text } = await post(gateway.url, JSON.stringify(message), session ?? headers);
        const fault = check(text, mark);
        if (fault !== undefined) wrong.push(fault);
        calls++;
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(CLIENTS * SECONDS);
  },
  (SECONDS + 30) * 1_000,
);
