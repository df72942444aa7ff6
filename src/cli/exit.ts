/** How a command ends. */
import { ConfigError } from '../config/errors.ts';
import { PolicyError, ToolchainError } from '../policy/errors.ts';

export const EXIT = { ok: 0, wrongInput: 1, usage: 2, environment: 3 } as const;

/** Something about the machine is wrong: a port in use, no permission, a missing piece of the installation. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

const WRONG_INPUT = [ConfigError, PolicyError];
const EXPECTED = [...WRONG_INPUT, ToolchainError, EnvironmentError];

const isOneOf = (error: unknown, kinds: readonly (new (...args: never[]) => Error)[]): error is Error =>
  kinds.some((kind) => error instanceof kind);

export function exitCodeOf(error: unknown): number {
  return isOneOf(error, WRONG_INPUT) ? EXIT.wrongInput : EXIT.environment;
}

/** Expected errors say what to do themselves; an unexpected one brings its stack. */
export function messageOf(error: unknown): string {
  if (isOneOf(error, EXPECTED)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
