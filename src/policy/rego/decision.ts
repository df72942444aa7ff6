/** From what the policy's entrypoint answered to a Decision: anything but exactly `allow: true` without a reason denies. */
import type { Decision } from '../../model.ts';

const NONE: readonly string[] = Object.freeze([]);

export const ALLOWED: Decision = Object.freeze({ allow: true, reasons: NONE, tags: NONE, mask: NONE });
const DENIED: Decision = Object.freeze({ allow: false, reasons: NONE, tags: NONE, mask: NONE });

/** No answer could be had: denied, and audited as a policy error. */
export function failed(reason: string): Decision {
  return { allow: false, reasons: [reason], failed: true, tags: NONE, mask: NONE };
}

/** Nothing was decided for want of room. */
export function overloaded(reason: string): Decision {
  return { allow: false, reasons: [reason], overloaded: true, tags: NONE, mask: NONE };
}

/** `answer` is the object of those outputs (allow, deny, tags, mask) that are defined. */
export function decisionFrom(answer: unknown): Decision {
  if (!isObject(answer)) return failed('policy error: the policy has no decision');
  const { allow = false, deny = NONE, tags = NONE, mask = NONE } = answer;
  if (typeof allow !== 'boolean')
    return failed(`policy error: allow must be true or false, not ${kindOf(allow)}`);
  for (const [name, list] of Object.entries({ deny, tags, mask })) {
    if (!isStrings(list)) return failed(`policy error: ${name} must be a set of strings`);
  }
  return decide(allow, deny as readonly string[], tags as readonly string[], mask as readonly string[]);
}

function decide(
  allow: boolean,
  deny: readonly string[],
  tags: readonly string[],
  mask: readonly string[],
): Decision {
  if (deny.length + tags.length + mask.length === 0) return allow ? ALLOWED : DENIED;
  return { allow: allow && deny.length === 0, reasons: deny.toSorted(), tags, mask };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
