/** Asks OPA's own evaluator and the compiled module, with our builtins, the same questions. */
import { instantiate } from '../../../src/policy/rego/module.ts';
import { runToolchain } from '../../../src/policy/rego/toolchain.ts';

/** What a question came to: a value, or `undefined` as Rego has it, or that the evaluation failed. */
export type Answer = { readonly value: unknown } | 'undefined' | 'failed';

export interface Comparison {
  readonly question: string;
  readonly opa: Answer;
  readonly gateway: Answer;
}

/**
 * `questions` are Rego expressions over `input`. Each becomes its own policy output, so that one failing evaluation
 * hides no other; all go through one compilation and one child process each way.
 */
export async function compareAnswers(
  questions: readonly string[],
  input: unknown = {},
): Promise<Comparison[]> {
  const files = { 'questions.rego': policyOf(questions) };
  const inputs = questions.map((_, index) => ({ ask: index, with: input }));
  const [{ answers }, compiled] = await Promise.all([
    runToolchain('eval', { files, inputs, now: '1700000000123456789' }),
    runToolchain('compile', { files }),
  ]);
  const module = new WebAssembly.Module(new Uint8Array(Buffer.from(compiled.wasm, 'base64')));
  let evaluate = instantiate(module, '{}');
  return questions.map((question, index) => {
    const { value, error } = answers[index] ?? {};
    let gateway: Answer;
    try {
      gateway = answerOf(evaluate(JSON.stringify(inputs[index])));
    } catch {
      evaluate = instantiate(module, '{}');
      gateway = 'failed';
    }
    return { question, opa: error === undefined ? answerOf(value) : 'failed', gateway };
  });
}

function policyOf(questions: readonly string[]): string {
  const rules = questions.map(
    (question, index) => `allow[${index}] := x if {\n\tinput.ask == ${index}\n\tx := ${question}\n}\n`,
  );
  return `package gateway\n\ni := input.with\n\n${rules.join('\n')}`;
}

function answerOf(decision: unknown): Answer {
  const values = Object.values((decision as { allow?: object } | undefined)?.allow ?? {});
  return values.length === 0 ? 'undefined' : { value: values[0] };
}
