/** What is wrong with a configuration file: every problem at once, each with its place, never with a value. */

/** One problem. `line` and `column` count from 1; 0 when the file as a whole is meant. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  /** `upstreams.files.command`, `rateLimits[0].key`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
}

/** A problem before its place in the file is looked up. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  /** Point at the key instead of its value. */
  readonly at?: 'key';
}

export type Path = readonly PropertyKey[];

/** A file may hold thousands of faults when it is no YAML at all; the message stays readable. */
const SHOWN = 100;
const LONGEST_KEY = 60;

/** Thrown by `loadConfig`; its message is one line a problem, `gateway.yaml:12:5 path: what is wrong`. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const rest = problems.length - SHOWN;
    const lines = problems.slice(0, SHOWN).map((problem) => line(file, problem));
    super([...lines, ...(rest > 0 ? [`and ${rest} more problems`] : [])].join('\n'));
    this.problems = problems;
  }
}

function line(file: string, { line, column, path, message }: Problem): string {
  const place = line === 0 ? `${file}:` : `${file}:${line}:${column}`;
  return `${place} ${path === '' ? '' : `${path}: `}${message}`;
}

/** A path as an operator would write it: `mcpServers["My Server"].args[0]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    const key = String(segment).slice(0, LONGEST_KEY);
    if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${text}[${JSON.stringify(key)}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}
