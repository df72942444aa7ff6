/** From the configuration's `policy:` to something that decides. */
import { availableParallelism } from 'node:os';
import type { Config } from '../config/config.ts';
import { PolicyError } from './errors.ts';
import type { Policy } from './policy.ts';
import { compilePolicy } from './rego/compile.ts';
import { ALLOWED } from './rego/decision.ts';
import { Pool } from './rego/pool.ts';
import { RegoPolicy } from './rego/rego-policy.ts';
import { readSources } from './rego/sources.ts';

const MAX_WORKERS = 4;

export interface LoadOptions {
  /** Compiled policies are kept in its folder `policies`. */
  readonly stateDir: string;
  readonly log?: { warn(facts: object, message: string): void };
}

/** Mode `off`: everything is allowed, and every place that shows the policy says so. */
const OFF: Policy = {
  version: 'off',
  files: 0,
  mode: 'off',
  decide: () => ALLOWED,
  decideAll: (inputs) => Promise.resolve(inputs.map(() => ALLOWED)),
  close: () => Promise.resolve(),
};

/**
 * Loads the policy of a configuration and warms its workers. Throws PolicyError with every problem when the policy is
 * missing, empty or wrong, ToolchainError when it would have to be compiled and cannot be. Close what is returned.
 */
export async function loadPolicy(config: Config['policy'], { stateDir, log }: LoadOptions): Promise<Policy> {
  if (config.mode === 'off') return OFF;
  const sources = await readSources(config.paths);
  const onUnwritable = (error: unknown): void =>
    log?.warn({ err: error }, 'the compiled policy could not be kept in the state directory');
  const compiled = await compilePolicy(sources, { stateDir, onUnwritable });
  const pool = await startPool(config, compiled);
  return new RegoPolicy({
    version: sources.digest.slice(0, 16),
    files: Object.keys(sources.policies).length,
    facts: compiled,
    maxInput: config.maxInput,
    pool,
  });
}

async function startPool(
  { deadline, queue }: Config['policy'],
  { module, data }: { readonly module: WebAssembly.Module; readonly data: string },
): Promise<Pool> {
  const size = Math.min(MAX_WORKERS, Math.max(2, availableParallelism() - 1));
  try {
    return await Pool.start({ module, data, deadline, queue, size });
  } catch (error) {
    throw new PolicyError([
      { code: 'module_error', message: error instanceof Error ? error.message : String(error) },
    ]);
  }
}
