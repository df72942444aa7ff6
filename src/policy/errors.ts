/** What can go wrong before a policy decides anything: the policy is wrong, or the toolchain cannot run. */

/** One finding of the Rego toolchain. `row` and `col` count from 1; absent when there is no position. */
export interface Problem {
  readonly file?: string;
  readonly row?: number;
  readonly col?: number;
  readonly code: string;
  readonly message: string;
}

/** `file:line:column: message`, as editors and terminals link it. */
export function formatProblem({ file, row, col, code, message }: Problem): string {
  const place = [file, row, col].filter((part) => part !== undefined).join(':');
  return `${place === '' ? '' : `${place}: `}${message} (${code})`;
}

/** The policy, not the machine, is at fault. `message` holds every problem, one a line. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

/** The toolchain itself could not run or did not answer: missing or damaged artefact, no memory, out of time. */
export class ToolchainError extends Error {
  override readonly name = 'ToolchainError';
}
