/** A loaded Rego policy: cache first, then the pool; whatever goes wrong on the way denies. */
import type { Decision } from '../../model.ts';
import type { Policy, PolicyInput } from '../policy.ts';
import type { CompiledFacts } from './cache.ts';
import { DecisionCache } from './decision-cache.ts';
import { failed } from './decision.ts';
import type { Pool } from './pool.ts';
import { projection } from './projection.ts';

export interface RegoPolicyOptions {
  readonly version: string;
  readonly files: number;
  readonly facts: Pick<CompiledFacts, 'reads' | 'nondeterministic'>;
  /** Bytes of JSON an evaluation may get. */
  readonly maxInput: number;
  readonly pool: Pool;
}

/** An input on its way: its text and cache key, or the decision that it already has. */
type Prepared = { readonly text: string; readonly key: string | undefined } | { readonly decision: Decision };

export class RegoPolicy implements Policy {
  readonly mode = 'enforce';
  readonly version: string;
  readonly files: number;
  readonly #pool: Pool;
  readonly #maxInput: number;
  readonly #textOf: (input: PolicyInput) => string;
  readonly #cache: DecisionCache | undefined;

  constructor({ version, files, facts, maxInput, pool }: RegoPolicyOptions) {
    this.version = version;
    this.files = files;
    this.#pool = pool;
    this.#maxInput = maxInput;
    this.#textOf = projection(facts.reads);
    this.#cache = isCacheable(facts) ? new DecisionCache() : undefined;
  }

  decide(input: PolicyInput, queue: string): Decision | Promise<Decision> {
    const prepared = this.#prepare(input);
    if ('decision' in prepared) return prepared.decision;
    return new Promise((resolve) => {
      this.#pool.submit([prepared.text], queue, ([decision]) => resolve(this.#keep(prepared.key, decision)));
    });
  }

  async decideAll(inputs: readonly PolicyInput[], queue: string): Promise<readonly Decision[]> {
    const prepared = inputs.map((input) => this.#prepare(input));
    const open = prepared.flatMap((each) => ('text' in each ? [each] : []));
    const texts = open.map(({ text }) => text);
    const decided =
      texts.length === 0
        ? []
        : await new Promise<readonly Decision[]>((done) => this.#pool.submit(texts, queue, done));
    const answers = new Map(open.map((each, index) => [each, this.#keep(each.key, decided[index])]));
    return prepared.map((each) =>
      'decision' in each ? each.decision : (answers.get(each) ?? failed('policy error: no decision')),
    );
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #prepare(input: PolicyInput): Prepared {
    try {
      const text = this.#textOf(input);
      const key = this.#cache?.keyOf(text);
      const decision = key === undefined ? undefined : this.#cache?.get(key);
      if (decision !== undefined) return { decision };
      return this.#isTooLarge(text)
        ? { decision: failed('policy error: what the policy reads exceeds policy.maxInput') }
        : { text, key };
    } catch (error) {
      return { decision: failed(`policy error: ${error instanceof Error ? error.message : String(error)}`) };
    }
  }

  #isTooLarge(text: string): boolean {
    // A UTF-16 unit is at most three bytes: most texts need not be measured.
    return text.length * 3 > this.#maxInput && Buffer.byteLength(text) > this.#maxInput;
  }

  #keep(key: string | undefined, decision = failed('policy error: no decision came back')): Decision {
    if (key !== undefined) this.#cache?.set(key, decision);
    return decision;
  }
}

/** A policy that reads the whole input, the time, or anything that changes by itself is asked every time. */
function isCacheable({ reads, nondeterministic }: RegoPolicyOptions['facts']): boolean {
  return reads !== null && !nondeterministic && !reads.some(([first]) => first === 'time');
}
