/** What the policy decided, and how long that took. */
import type { Registry } from 'prom-client';
import { countFamily, distributionFamily } from '../tally.ts';

export interface PolicyMetrics {
  policyDecision(decision: PolicyVerdict, seconds: number): void;
}

const VERDICTS = ['allow', 'deny', 'error', 'overloaded'] as const;
export type PolicyVerdict = (typeof VERDICTS)[number];

/** From a cached decision (50 µs) to the deadline of a slow one. */
const SECONDS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const DECISIONS = 'gatehouse_policy_decisions_total';
const DURATION = 'gatehouse_policy_decision_duration_seconds';

export function policyMetrics(registry: Registry): PolicyMetrics {
  const decisions = countFamily({
    registry,
    name: DECISIONS,
    help: 'Decisions of the policy.',
    labels: ['decision'],
  });
  const durations = distributionFamily(
    { registry, name: DURATION, help: 'Time to a decision, the wait for a worker included.', labels: [] },
    SECONDS,
  );
  const duration = durations.of('');
  // Series that exist from the start let an alert see the first of them.
  for (const verdict of VERDICTS) decisions.of(verdict);
  return {
    policyDecision(decision, seconds) {
      decisions.of(decision).value++;
      duration.observe(seconds);
    },
  };
}
