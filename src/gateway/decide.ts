/** The policy stage: a call's facts in the policy's words, its decision, and how a refusal is said. */
import type { Entry } from '../catalog/catalog.ts';
import { GatewayError } from '../errors.ts';
import type { Decision, Principal, Target } from '../model.ts';
import type { Phase, PolicyInput } from '../policy/policy.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Attempt } from './attempt.ts';
import { argumentsOf } from './target.ts';

/** Asks the policy about one target. A cached decision comes without a promise and is not waited for. */
export function decide(attempt: Attempt, phase: Phase, entry: Entry): Decision | Promise<Decision> {
  const { policy, metrics } = attempt.snapshot;
  const started = performance.now();
  const decision = policy.decide(policyInput(attempt, phase, entry), attempt.call.principal.key);
  if (!(decision instanceof Promise)) return count(metrics, decision, started);
  return decision.then((decided) => count(metrics, decided, started));
}

/** Asks about all entries of a list at once. @returns those that the caller may know of. */
export async function filterVisible(attempt: Attempt, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const { policy, metrics } = attempt.snapshot;
  const started = performance.now();
  const inputs = entries.map((entry) => policyInput(attempt, 'list', entry));
  const decisions = await policy.decideAll(inputs, attempt.call.principal.key);
  const each = (performance.now() - started) / Math.max(1, entries.length);
  const visible = entries.filter((entry, index) => {
    const decision = decisions[index]!;
    if (decision.overloaded) throw refusal(decision, entry.target);
    metrics.policyDecision(resultOf(decision), each / 1000);
    return decision.allow;
  });
  return visible;
}

function count(metrics: Metrics, decision: Decision, started: number): Decision {
  metrics.policyDecision(resultOf(decision), (performance.now() - started) / 1000);
  return decision;
}

function resultOf({ allow, failed, overloaded }: Decision): 'allow' | 'deny' | 'error' | 'overloaded' {
  if (allow) return 'allow';
  if (overloaded) return 'overloaded';
  return failed ? 'error' : 'deny';
}

/** A refusal in words: the policy's own where the caller may know of the target. */
export function refusal(decision: Decision, target: Target): GatewayError {
  if (decision.overloaded)
    return new GatewayError('overloaded', 'The gateway has too many decisions waiting; try again shortly.', {
      retryAfter: 1,
    });
  if (decision.failed)
    return new GatewayError(
      'policy_error',
      'The access policy could not decide on this call, so it was refused.',
    );
  const reasons = decision.reasons.join('; ');
  return new GatewayError(
    'denied',
    reasons === ''
      ? `The access policy does not allow this use of ${target.kind} "${target.name}".`
      : reasons,
  );
}

/** No credential is among the facts: a Call has none. */
function policyInput({ snapshot, call }: Attempt, phase: Phase, { target }: Entry): PolicyInput {
  return {
    version: 1,
    phase,
    method: call.method,
    principal: principalView(call.principal),
    upstream: snapshot.upstreamFacts.get(target.upstream)!,
    target: targetView(target),
    ...(phase === 'list' ? {} : { arguments: argumentsOf(call) }),
    client: call.client,
    profile: call.profile,
    source: call.source,
    // Most policies do not read the clock: the text is made when they do.
    get time() {
      return new Date().toISOString();
    },
  };
}

/** What a policy sees of long-lived objects is made once for each. */
function viewOf<Whole extends object, View>(make: (whole: Whole) => View): (whole: Whole) => View {
  const views = new WeakMap<Whole, View>();
  return (whole) => {
    const known = views.get(whole);
    if (known !== undefined) return known;
    const view = make(whole);
    views.set(whole, view);
    return view;
  };
}

const principalView = viewOf(({ key: _key, ...principal }: Principal) => principal);
const targetView = viewOf(({ upstream: _upstream, ...target }: Target) => target);
