/** The servers: what each is called, how it is started over each of its transports, and what it offers. */
import { join } from 'node:path';
import { EVERYTHING } from '../e2e/kit.ts';
import type { Offers } from './plan.ts';

export type Transport = 'stdio' | 'http' | 'sse';
/** A language that must be on the machine. */
export type Needs = 'Go' | 'mcp (Python)' | 'fastmcp (Python)';

export interface CompatibilityServer {
  readonly id: string;
  readonly title: string;
  readonly transport: Transport;
  readonly needs?: Needs;
  readonly command: string;
  readonly args: readonly string[];
  /** Of the URL, when it is not stdio. */
  readonly path?: string;
  /** `file` is a path that the server marks when a call is cancelled. */
  offers(file: string): Offers;
}

const TEXT = 'naïve ☕ 日本語 👩‍👩‍👧 ‮rtl';
const said = (message: string) => ({ name: 'echo', arguments: { message }, expect: `Echo: ${message}` });

const common = (file: string): Offers => ({
  tools: { name: 'echo' },
  tool: said('plain'),
  unicode: said(TEXT),
  resource: { uri: 'compat://greeting', expect: 'Grüße an 世界' },
  prompt: { name: 'greet', arguments: { name: 'Ada' }, expect: 'Please greet Ada' },
  completion: { name: 'greet', argument: { name: 'name', value: 'Ad' }, expect: 'Adele' },
  progress: { name: 'count', arguments: { steps: 3 }, expect: 'Counted to 3', steps: 3 },
  logging: { name: 'log', arguments: { message: 'Grüß Gott' }, expect: 'Logged', logged: 'Grüß Gott' },
  elicitation: { name: 'ask', arguments: {}, expect: 'Name: Ωmega' },
  cancellation: { name: 'wait', arguments: { file } },
});

/** Its tools end in their own time, so cancellation cannot be seen. */
const everything = (): Offers => ({
  tools: { name: 'echo' },
  tool: said('plain'),
  unicode: said(TEXT),
  resource: { uri: 'demo://resource/dynamic/text/1', expect: 'Resource 1:' },
  prompt: { name: 'args-prompt', arguments: { city: 'Köln' }, expect: 'weather in Köln' },
  completion: {
    name: 'completable-prompt',
    argument: { name: 'department', value: 'Eng' },
    expect: 'Engineering',
  },
  progress: {
    name: 'trigger-long-running-operation',
    arguments: { duration: 0.06, steps: 3 },
    expect: 'completed',
    steps: 2,
  },
  logging: { name: 'toggle-simulated-logging', arguments: {}, expect: 'simulated', logged: 'message' },
  elicitation: { name: 'trigger-elicitation-request', arguments: {}, expect: 'Ωmega' },
});

const here = (path: string): string => join(import.meta.dirname, path);
const node = (file: string, ...args: string[]) => ({ command: process.execPath, args: [file, ...args] });
const python = (file: string, ...args: string[]) => ({
  command: 'python3',
  args: [here(`python/${file}`), ...args],
});

/** @param goServer the built Go server. */
export function compatibilityServers(goServer: string): CompatibilityServer[] {
  const v1 = here('typescript/v1-server.ts');
  const v2 = here('typescript/v2-server.ts');
  const ofEverything = { title: 'server-everything', offers: everything };
  const ofV1 = { title: 'SDK v1', offers: common };
  const ofV2Legacy = { title: 'SDK v2, legacy era', offers: common };
  const ofV2Modern = { title: 'SDK v2, modern era', offers: common };
  const ofPython = { title: 'Python SDK', needs: 'mcp (Python)', offers: common } as const;
  const ofFastmcp = { title: 'fastmcp', needs: 'fastmcp (Python)', offers: common } as const;
  const ofGo = { title: 'Go SDK', needs: 'Go', offers: common } as const;
  const stateless = { ...ofGo, title: 'Go SDK, stateless' };
  return [
    { id: 'every-stdio', transport: 'stdio', ...ofEverything, ...node(EVERYTHING, 'stdio') },
    { id: 'every-http', transport: 'http', ...ofEverything, ...node(EVERYTHING, 'streamableHttp') },
    { id: 'every-sse', transport: 'sse', path: '/sse', ...ofEverything, ...node(EVERYTHING, 'sse') },
    { id: 'v1-stdio', transport: 'stdio', ...ofV1, ...node(v1, 'stdio') },
    { id: 'v1-http', transport: 'http', ...ofV1, ...node(v1, 'http') },
    { id: 'v2-legacy-stdio', transport: 'stdio', ...ofV2Legacy, ...node(v2, 'stdio', 'legacy') },
    { id: 'v2-legacy-http', transport: 'http', ...ofV2Legacy, ...node(v2, 'http', 'legacy') },
    { id: 'v2-modern-stdio', transport: 'stdio', ...ofV2Modern, ...node(v2, 'stdio', 'modern') },
    { id: 'v2-modern-http', transport: 'http', ...ofV2Modern, ...node(v2, 'http', 'modern') },
    { id: 'py-stdio', transport: 'stdio', ...ofPython, ...python('sdk_server.py', 'stdio') },
    { id: 'py-http', transport: 'http', ...ofPython, ...python('sdk_server.py', 'streamable-http') },
    { id: 'py-sse', transport: 'sse', path: '/sse', ...ofPython, ...python('sdk_server.py', 'sse') },
    { id: 'fast-stdio', transport: 'stdio', ...ofFastmcp, ...python('fastmcp_server.py', 'stdio') },
    { id: 'fast-http', transport: 'http', ...ofFastmcp, ...python('fastmcp_server.py', 'http') },
    { id: 'go-stdio', transport: 'stdio', ...ofGo, command: goServer, args: ['stdio'] },
    { id: 'go-http', transport: 'http', ...ofGo, command: goServer, args: ['http'] },
    { id: 'go-stateless', transport: 'http', ...stateless, command: goServer, args: ['stateless'] },
  ];
}
