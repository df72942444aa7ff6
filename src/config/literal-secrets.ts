/** Secrets that stand in the file itself: credentials, and what is named like one in variables, URLs and arguments. */
import { secretsOf } from '../upstream/credentials/schema.ts';
import type { UpstreamConfig } from './config.ts';

const SECRET_NAME = /token|key|secret|passw|pwd|auth|credential|cookie|session|bearer/i;
const SCHEME = /^(?:bearer|basic|token)\s+(.+)$/i;

/** Every secret text of one upstream; of "Bearer X" both the whole and X. */
export function literalSecrets(upstream: UpstreamConfig): string[] {
  const values = [
    ...(upstream.credentials ? secretsOf(upstream.credentials) : []),
    ...(upstream.transport === 'stdio'
      ? [...fromNamed(Object.entries(upstream.env)), ...fromArguments(upstream.args)]
      : fromNamed([...new URL(upstream.url).searchParams])),
  ];
  const bare = values.flatMap((value) => SCHEME.exec(value)?.slice(1) ?? []);
  return [...values, ...bare];
}

function fromNamed(entries: readonly (readonly [string, string])[]): string[] {
  return entries.filter(([name, value]) => SECRET_NAME.test(name) && value !== '').map(([, value]) => value);
}

/** `--api-key X`, `--api-key=X`, `API_KEY=X` and `Authorization: X`. */
function fromArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, name, value] = /^-{0,2}([\w.-]+)\s*[=:]\s*(.+)$/s.exec(arg) ?? [];
    if (name !== undefined && value !== undefined) return fromNamed([[name, value]]);
    const next = args[index + 1];
    const isFlag = arg.startsWith('-') && next !== undefined && !next.startsWith('-');
    return isFlag ? fromNamed([[arg, next]]) : [];
  });
}
