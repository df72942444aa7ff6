/** How a command ends. */
import { ConfigError } from '../config/errors.ts';
import { PolicyError } from '../policy/errors.ts';

export const EXIT = { ok: 0, wrongInput: 1, usage: 2, environment: 3 } as const;

/** Something about the machine is wrong: a port in use, no permission, a missing piece of the installation. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

export function exitCodeOf(error: unknown): number {
  return error instanceof ConfigError || error instanceof PolicyError ? EXIT.wrongInput : EXIT.environment;
}

/** Expected errors say what to do themselves; an unexpected one brings its stack. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected =
    error instanceof ConfigError || error instanceof PolicyError || error instanceof EnvironmentError;
  return expected ? error.message : (error.stack ?? error.message);
}
