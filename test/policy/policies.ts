/** Policies and inputs for the tests: written to a folder of their own, loaded for real. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import type { JsonObject } from '../../src/model.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import type { Policy, PolicyInput } from '../../src/policy/policy.ts';

/** Compiled policies are kept from run to run: a test that is about compiling makes its own folder. */
export const STATE = join(tmpdir(), 'gatehouse-policy-tests');

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-policy-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Writes the files (name below the folder → text) and answers the folder. */
export function policyFolder(files: Readonly<Record<string, string>>): string {
  const root = folder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

export function settings(
  paths: readonly string[],
  changes: Partial<Config['policy']> = {},
): Config['policy'] {
  return { mode: 'enforce', paths, deadline: 2_000, queue: 5_000, maxInput: 1024 ** 2, ...changes };
}

/** Loads one module of package gateway, without its package line. Closed with the test. */
export async function policyOf(rules: string, changes: Partial<Config['policy']> = {}): Promise<Policy> {
  const path = policyFolder({ 'gateway.rego': `package gateway\n\n${rules}\n` });
  const policy = await loadPolicy(settings([path], changes), { stateDir: STATE });
  onTestFinished(() => policy.close());
  return policy;
}

interface Facts {
  readonly phase?: PolicyInput['phase'];
  readonly upstream?: string;
  readonly tool?: string;
  readonly kind?: PolicyInput['principal']['kind'];
  readonly roles?: readonly string[];
  readonly arguments?: JsonObject;
  readonly time?: string;
}

/** A tools/call by an API key unless told otherwise. */
export function inputOf(facts: Facts = {}): PolicyInput {
  return {
    version: 1,
    phase: facts.phase ?? 'request',
    method: 'tools/call',
    principal: {
      id: 'alice',
      kind: facts.kind ?? 'api-key',
      roles: facts.roles ?? [],
      groups: [],
      scopes: [],
      claims: {},
    },
    upstream: { id: facts.upstream ?? 'files', transport: 'stdio', labels: {} },
    target: {
      kind: 'tool',
      name: facts.tool ?? 'read_file',
      digest: 'd'.repeat(64),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      claims: {},
    },
    ...(facts.arguments === undefined ? {} : { arguments: facts.arguments }),
    client: { name: 'test', protocolVersion: '2025-11-25' },
    profile: 'default',
    source: '127.0.0.1',
    time: facts.time ?? '2026-01-01T00:00:00Z',
  };
}
