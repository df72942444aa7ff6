/**
 * Runs Open Policy Agent's compiler, test runner, formatter and evaluator, which ship as one WebAssembly artefact.
 * Each request gets a child process that ends: the module needs some 300 MB while it runs, the gateway none of it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { PolicyError, type Problem, ToolchainError } from '../errors.ts';
import { BUILTIN_NAMES, LEFT_OUT } from './builtins.ts';

const FOLDER = new URL('../../../tools/rego/', import.meta.url);
const ARTEFACT = 'regotool.wasm.br';
const CHILD = new URL(`./toolchain-child.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
/** The module runs once, for less time than optimising it takes: without V8's second compiler it needs a third of the CPU. */
const FLAGS = ['--disable-warning=ExperimentalWarning', '--liftoff-only'];
const DEADLINE = 60_000;

/** A data document: `path` are the folders between the policy root and the file. */
export interface DataFile {
  readonly file: string;
  readonly path: readonly string[];
  readonly text: string;
}

export interface ToolchainRequest {
  /** File name, as it shall appear in errors, to Rego text. */
  readonly files: Readonly<Record<string, string>>;
  readonly data?: readonly DataFile[];
  /** For `eval`: what to decide, and the time `time.now_ns` tells (nanoseconds). */
  readonly inputs?: readonly unknown[];
  readonly now?: string;
}

/** One test rule's result. Times in milliseconds; `output` is what print() wrote. */
export interface TestResult {
  readonly file: string;
  readonly row: number;
  readonly package: string;
  readonly name: string;
  readonly outcome: 'pass' | 'fail' | 'skip' | 'error';
  readonly error?: string;
  readonly output?: string;
  readonly milliseconds: number;
}

/** `uncovered` are ranges of lines, both ends included. */
export interface FileCoverage {
  readonly file: string;
  readonly percent: number;
  readonly uncovered: readonly (readonly [number, number])[];
}

/** What each verb answers. */
export interface ToolchainResults {
  compile: {
    /** Base64. */
    readonly wasm: string;
    /** Paths below `input` the decision depends on; null when that cannot be said. */
    readonly reads: readonly (readonly string[])[] | null;
    readonly nondeterministic: boolean;
    readonly rules: readonly string[];
    readonly builtins: readonly string[];
    /** The data document as JSON text: parsing it here would round its numbers. */
    readonly data: string;
  };
  check: { readonly warnings: readonly Problem[] };
  test: { readonly results: readonly TestResult[]; readonly coverage: readonly FileCoverage[] };
  fmt: { readonly files: Readonly<Record<string, string>> };
  eval: { readonly answers: readonly { readonly value?: unknown; readonly error?: string }[] };
}

interface Answer<R> {
  readonly errors?: readonly Problem[];
  readonly result?: R;
}

/** The artefact's SHA-256 as recorded beside it: part of every cache key. Throws ToolchainError when there is none. */
export function toolchainChecksum(): string {
  let sums: string;
  try {
    sums = readFileSync(new URL('SHA256SUMS', FOLDER), 'utf8');
  } catch (cause) {
    throw new ToolchainError(
      `The Rego toolchain is missing: cannot read ${fileURLToPath(FOLDER)}SHA256SUMS`,
      { cause },
    );
  }
  const line = sums.split('\n').find((each) => each.endsWith(`  ${ARTEFACT}`));
  if (line === undefined)
    throw new ToolchainError(`${fileURLToPath(FOLDER)}SHA256SUMS has no line for ${ARTEFACT}`);
  return line.slice(0, 64);
}

/**
 * Asks the toolchain one thing. Throws PolicyError with everything it objects to, or ToolchainError when it could not
 * answer. `deadline` in milliseconds.
 */
export async function runToolchain<V extends keyof ToolchainResults>(
  verb: V,
  request: ToolchainRequest,
  deadline = DEADLINE,
): Promise<ToolchainResults[V]> {
  const answer = await exchange(JSON.stringify({ verb, capabilities: BUILTIN_NAMES, ...request }), deadline);
  const { errors, result } = parse<ToolchainResults[V]>(answer);
  if (errors !== undefined && errors.length > 0) throw new PolicyError(errors.map(explain));
  if (result === undefined)
    throw new ToolchainError('The Rego toolchain answered neither a result nor an error');
  return result;
}

function parse<R>(answer: string): Answer<R> {
  try {
    return JSON.parse(answer) as Answer<R>;
  } catch (cause) {
    throw new ToolchainError('The Rego toolchain did not answer in JSON', { cause });
  }
}

/** OPA calls a builtin that it is not given an undefined function. */
function explain(problem: Problem): Problem {
  const [, name] = /^undefined function (\S+)$/.exec(problem.message) ?? [];
  if (name === undefined) return problem;
  const reason = LEFT_OUT[name] ?? 'if it is a builtin of OPA, it is not among those given here';
  return { ...problem, message: `${problem.message}: ${reason} (see docs/policy.md)` };
}

async function exchange(request: string, deadline: number): Promise<string> {
  const args = [...FLAGS, fileURLToPath(CHILD)];
  const child = spawn(
    process.execPath,
    [...args, fileURLToPath(new URL(ARTEFACT, FOLDER)), toolchainChecksum()],
    { env: {}, timeout: deadline, killSignal: 'SIGKILL', windowsHide: true },
  );
  // A child that dies early closes its stdin; why it died is told below.
  child.stdin.on('error', () => undefined);
  child.stdin.end(request);
  const [answer, complaint, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  if (code === 0) return answer;
  throw new ToolchainError(
    signal === 'SIGKILL' ? `The Rego toolchain took longer than ${deadline} ms` : failure(code, complaint),
  );
}

function failure(code: number | null, complaint: string): string {
  const reason =
    complaint.split('\n').find((line) => /\b(Error|panic|fatal)\b/.test(line)) ??
    complaint.trim().slice(0, 500);
  return `The Rego toolchain ended with code ${code}: ${reason}`;
}
