/** An upstream under test: a configuration, a context that collects, and waits that end with what they wait for. */
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { UpstreamConfig } from '../../src/config/config.ts';
import { isObject } from '../../src/protocol/envelope.ts';
import { textOf, type Slices } from '../../src/protocol/slices.ts';
import type { UpstreamRequest } from '../../src/upstream/hop.ts';
import { startUpstream, type Upstream, type UpstreamContext } from '../../src/upstream/upstream.ts';

const COMMON = {
  timeout: 5_000,
  labels: {},
  trustAnnotations: false,
  uris: [],
  tools: { allow: ['*'], deny: [], rename: {}, describe: {}, annotations: {} },
};

interface Changes {
  readonly timeout?: number;
  readonly credentials?: UpstreamConfig['credentials'];
  readonly inheritEnv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export function stdioConfig(command: string, args: readonly string[], changes: Changes = {}): UpstreamConfig {
  const { env = {}, inheritEnv = [], ...rest } = changes;
  const piece = { command, args: [...args], env: { ...env }, inheritEnv: [...inheritEnv] };
  return { id: 'up', prefix: 'up', transport: 'stdio', ...COMMON, ...piece, ...rest };
}

/** The fixture of that name, run by this Node. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

export function serverConfig(habits: object = {}, changes: Changes = {}): UpstreamConfig {
  return stdioConfig(process.execPath, [fixture('stdio-server.ts'), JSON.stringify(habits)], changes);
}

export function httpConfig(url: string, changes: Changes = {}): UpstreamConfig {
  return { id: 'up', prefix: 'up', transport: 'streamable-http', url, ...COMMON, ...changes };
}

export interface Watched extends Upstream {
  /** What was logged: level, message, fields. */
  readonly logged: readonly (readonly [level: string, message: string, fields: object])[];
  readonly dropped: readonly string[];
  /** How often the lists were said to have changed. */
  readonly listChanges: () => number;
  /** Resolves when the condition holds; looked at whenever the upstream says or changes anything. */
  reached(condition: () => boolean): Promise<void>;
  /** `tools/call`, and the text of its first content block as JSON. */
  call(name: string, args?: object, more?: Partial<UpstreamRequest>): Promise<any>;
}

/** Starts the upstream and closes it when the test ends. */
export function start(config: UpstreamConfig, more: Partial<UpstreamContext> = {}): Watched {
  const logged: [string, string, object][] = [];
  const dropped: string[] = [];
  let listChanges = 0;
  const waiting = new Set<() => void>();
  const look = (): void => waiting.forEach((wake) => wake());
  const note = (level: string) => (fields: object, message: string) => {
    logged.push([level, message, fields]);
    queueMicrotask(look);
  };
  const upstream = startUpstream(config, {
    dir: tmpdir(),
    maxMessage: 8 * 1024 * 1024,
    gateway: { name: 'gatehouse', version: '0' },
    log: { info: note('info'), warn: note('warn'), debug: note('debug') },
    dropped(reason) {
      dropped.push(reason);
      queueMicrotask(look);
    },
    changed(what) {
      if (what === 'lists') listChanges++;
      queueMicrotask(look);
    },
    pace: { backoffFirst: 50, refetch: 50 },
    ...more,
  });
  onTestFinished(() => upstream.close());
  return {
    ...upstream,
    logged,
    dropped,
    listChanges: () => listChanges,
    reached: (condition) =>
      new Promise((resolve) => {
        const wake = (): void => {
          if (!condition()) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        wake();
      }),
    async call(name, args = {}, more = {}) {
      const params = { name, arguments: { ...args } } as UpstreamRequest['params'];
      const answer = await upstream.request({ method: 'tools/call', params, timeout: 5_000, ...more });
      const text = (resultOf(answer) as any)?.content?.[0]?.text as string | undefined;
      try {
        return JSON.parse(text ?? 'null') as unknown;
      } catch {
        return text;
      }
    },
  };
}

export function resultOf({ bytes, top }: Slices): object {
  const result: unknown = JSON.parse(textOf(bytes, top.get('result')) ?? 'null');
  return isObject(result) ? result : {};
}

/** Is there still a process of this number? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
