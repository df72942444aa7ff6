/** A small MCP client of either era on one connection: opens, calls tools, checks that each reply answers its request. */
import type { Era } from '../src/model.ts';
import { Connection } from './connection.ts';
import { header, type Reply } from './reply.ts';

export interface Endpoint {
  /** Loopback URL of the MCP endpoint. */
  readonly url: string;
  readonly era: Era;
  /** API key, sent as a bearer token. */
  readonly key?: string | undefined;
}

interface Message {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message?: string };
}

/** Bytes at each end of a large reply that are looked at. */
const EDGE = 512;
const CLIENT = '{"name":"bench","version":"1.0.0"}';
const MODERN_META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",' +
  `"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":${CLIENT}}`;

interface EraRules {
  readonly version: string;
  readonly open: { readonly method: string; readonly params: string };
  /** Members of `params` (JSON without its braces) as they go out. */
  readonly params: (members: string) => string;
  readonly headers: (method: string, name: string | undefined) => readonly string[];
}

const ERAS: Readonly<Record<Era, EraRules>> = {
  legacy: {
    version: '2025-11-25',
    open: {
      method: 'initialize',
      params: `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":${CLIENT}`,
    },
    params: (members) => members,
    headers: () => [],
  },
  modern: {
    version: '2026-07-28',
    open: { method: 'server/discover', params: '' },
    params: (members) => (members === '' ? MODERN_META : `${members},${MODERN_META}`),
    headers: (method, name) => [
      `Mcp-Method: ${method}`,
      ...(name === undefined ? [] : [`Mcp-Name: ${name}`]),
    ],
  },
};

/** The JSON-RPC message with this id: the body itself, or the data of one event of a stream. */
function messageText({ head, body }: Reply, id: number): string {
  const text = body.toString('utf8');
  if (header(head, 'content-type')?.startsWith('text/event-stream') !== true) return text;
  const dataOf = (event: string) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n');
  return (
    text
      .split(/\r?\n\r?\n/)
      .map(dataOf)
      .find((data) => data.includes(`"id":${id}`)) ?? ''
  );
}

/** The result in a reply. Throws on an HTTP error, a JSON-RPC error, or the answer to another request. */
function resultOf(reply: Reply, id: number): Record<string, unknown> {
  const text = messageText(reply, id);
  if (reply.status !== 200) throw new Error(`HTTP ${reply.status}: ${text.slice(0, 300)}`);
  const message = JSON.parse(text) as Message;
  if (message.id !== id || message.result === undefined) {
    throw new Error(`no result for request ${id}: ${text.slice(0, 300)}`);
  }
  return message.result;
}

export class McpClient {
  readonly #connection: Connection;
  readonly #rules: EraRules;
  readonly #fixed: string;
  readonly #heads = new Map<string, string>();
  #session: string | undefined;
  #lastId = 0;

  private constructor(connection: Connection, { url, era, key }: Endpoint) {
    const { host, pathname } = new URL(url);
    this.#connection = connection;
    this.#rules = ERAS[era];
    this.#fixed = [
      `${pathname} HTTP/1.1`,
      `Host: ${host}`,
      'Accept: application/json, text/event-stream',
      ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ].join('\r\n');
  }

  /** Connects and opens the era's way: `initialize` with a session, or `server/discover`. */
  static async open(endpoint: Endpoint): Promise<McpClient> {
    const client = new McpClient(await Connection.open(new URL(endpoint.url)), endpoint);
    try {
      await client.#open();
    } catch (error) {
      client.#connection.close();
      throw error;
    }
    return client;
  }

  async toolNames(): Promise<readonly string[]> {
    const { tools } = (await this.request('tools/list', '')) as { tools?: readonly { name: string }[] };
    return (tools ?? []).map(({ name }) => name);
  }

  /** Sends a request; `members` is the JSON of its params without the braces. Resolves to the result. */
  async request(method: string, members: string, name?: string): Promise<Record<string, unknown>> {
    const id = ++this.#lastId;
    return resultOf(await this.#post(id, method, members, name), id);
  }

  /** Calls a tool with ASCII JSON arguments. Resolves to the text of the result; throws when the tool says `isError`. */
  async call(tool: string, args: string): Promise<string> {
    const result = await this.request('tools/call', `"name":"${tool}","arguments":${args}`, tool);
    const { content, isError } = result as { content?: readonly { text?: string }[]; isError?: boolean };
    const text = content?.[0]?.text;
    if (isError === true || text === undefined) {
      throw new Error(`${tool} failed: ${JSON.stringify(result).slice(0, 300)}`);
    }
    return text;
  }

  /**
   * Calls a tool whose reply is too large to parse without the generator becoming what is measured: checks the id, the
   * least number of bytes and that no error is said at either end, where every server puts such members.
   */
  async callLarge(tool: string, args: string, bytes: number): Promise<void> {
    const id = ++this.#lastId;
    const { status, body } = await this.#post(id, 'tools/call', `"name":"${tool}","arguments":${args}`, tool);
    const ends = body.toString('latin1', 0, EDGE) + body.toString('latin1', Math.max(0, body.length - EDGE));
    if (
      status === 200 &&
      body.length >= bytes &&
      ends.includes(`"id":${id}`) &&
      !ends.includes('"isError":true')
    ) {
      return;
    }
    throw new Error(`${tool} failed: HTTP ${status}, ${body.length} bytes: ${ends.slice(0, 300)}`);
  }

  /** Ends the session, if there is one, and the connection. */
  async close(): Promise<void> {
    const lines = [`Mcp-Session-Id: ${this.#session}`, `MCP-Protocol-Version: ${this.#rules.version}`];
    if (this.#session !== undefined) {
      await this.#connection.send(`DELETE ${this.#fixed}\r\n${lines.join('\r\n')}\r\n\r\n`);
    }
    this.#connection.close();
  }

  async #open(): Promise<void> {
    const { method, params } = this.#rules.open;
    const id = ++this.#lastId;
    const reply = await this.#post(id, method, params);
    resultOf(reply, id);
    this.#session = header(reply.head, 'mcp-session-id');
    this.#heads.clear();
    if (method === 'initialize') await this.#post(undefined, 'notifications/initialized', '');
  }

  #post(id: number | undefined, method: string, members: string, name?: string): Promise<Reply> {
    const numbered = id === undefined ? '' : `"id":${id},`;
    const body = `{"jsonrpc":"2.0",${numbered}"method":"${method}","params":{${this.#rules.params(members)}}}`;
    return this.#connection.send(`${this.#head(method, name)}${body.length}\r\n\r\n${body}`);
  }

  /** Everything up to the value of Content-Length; the same for every call of a tool, so built once. */
  #head(method: string, name: string | undefined): string {
    const known = this.#heads.get(name ?? method);
    if (known !== undefined) return known;
    const lines = [
      `POST ${this.#fixed}`,
      'Content-Type: application/json',
      `MCP-Protocol-Version: ${this.#rules.version}`,
      ...this.#rules.headers(method, name),
      ...(this.#session === undefined ? [] : [`Mcp-Session-Id: ${this.#session}`]),
    ];
    const head = `${lines.join('\r\n')}\r\nContent-Length: `;
    this.#heads.set(name ?? method, head);
    return head;
  }
}
