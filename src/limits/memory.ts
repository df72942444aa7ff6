/**
 * Rate limits in memory, by the generic cell rate algorithm (GCRA): per key one number, the time at which the key will be
 * fresh again. A request moves it by `per / count`; it is refused when that would be more than the burst ahead of now.
 */
import type { RateLimitConfig } from '../config/config.ts';
import { createBucketStore, type Bucket, type Buckets, type BucketStore } from './buckets.ts';
import { compileGlob } from '../glob.ts';
import type { LimitFacts, Limits, Taken } from './limits.ts';
import { steadyClock } from './steady-clock.ts';

export interface LimitOptions {
  /** Milliseconds; default: the monotonic clock of the process. Limits that share a store need one clock. */
  readonly now?: () => number;
  /** Default: a store of its own. With the store of older limits, an unchanged rule goes on where it was. */
  readonly store?: BucketStore;
}

/**
 * Compiles the rules of a configuration. `burst` is how many requests may come at once; without it, `count` may.
 * A rule with `match.upstream` or `match.tool` is about requests that have such a target; others count every request.
 */
export function compileLimits(rules: readonly RateLimitConfig[], options: LimitOptions = {}): Limits {
  const store = options.store ?? createBucketStore();
  const now = options.now === undefined ? () => performance.now() : steadyClock(options.now);
  const compiled = rules.map((rule) => compileRule(rule, store));
  store.keepOnly(rules.map(identityOf));
  return { take: compiled.length === 0 ? () => ALLOWED : (facts) => takeAll(compiled, facts, now()) };
}

const ALLOWED: Taken = { ok: true };

interface Rule {
  readonly name: string;
  readonly matches: (facts: LimitFacts) => boolean;
  readonly keyOf: (facts: LimitFacts) => string;
  readonly buckets: Buckets;
  /** Milliseconds that one request uses up. */
  readonly interval: number;
  /** How far ahead of now `freshAt` may be, in milliseconds. */
  readonly capacity: number;
}

const identityOf = ({ name, key, match, limit, burst }: RateLimitConfig): string =>
  JSON.stringify([name, key, match.upstream, match.tool, limit.count, limit.per, burst]);

function compileRule(rule: RateLimitConfig, store: BucketStore): Rule {
  const interval = rule.limit.per / rule.limit.count;
  return {
    name: rule.name,
    matches: compileMatch(rule.match),
    keyOf: compileKey(rule.key),
    buckets: store.rule(identityOf(rule)),
    interval,
    capacity: interval * (rule.burst ?? rule.limit.count),
  };
}

/** All or nothing: every rule is asked before one is charged. */
function takeAll(rules: readonly Rule[], facts: LimitFacts, now: number): Taken {
  const due: { readonly bucket: Bucket; readonly next: number }[] = [];
  for (const rule of rules) {
    if (!rule.matches(facts)) continue;
    const bucket = rule.buckets.of(rule.keyOf(facts));
    const next = Math.max(bucket.freshAt, now) + rule.interval;
    const wait = next - now - rule.capacity;
    if (wait > ROUNDING)
      return { ok: false, rule: rule.name, retryAfter: Math.max(1, Math.ceil(wait / 1000)) };
    due.push({ bucket, next });
  }
  for (const { bucket, next } of due) bucket.freshAt = next;
  return ALLOWED;
}

/** Milliseconds that sums of fractions may be off by. */
const ROUNDING = 1e-3;

function compileMatch({ upstream, tool }: RateLimitConfig['match']): (facts: LimitFacts) => boolean {
  const fitsUpstream = optional(upstream);
  const fitsTool = optional(tool);
  return (facts) => fitsUpstream(facts.upstream) && fitsTool(facts.target);
}

/** Without a glob everything fits, also a request without a target; with one, only what is there and fits. */
function optional(glob: string | undefined): (text: string | undefined) => boolean {
  if (glob === undefined) return () => true;
  const fits = compileGlob(glob);
  return (text) => text !== undefined && fits(text);
}

type KeyPart = RateLimitConfig['key'][number];

/** What is missing (no tenant, no target) is a key too: those without share one bucket. */
const PARTS: Readonly<Record<KeyPart, (facts: LimitFacts) => string | undefined>> = {
  principal: (facts) => facts.principal.key,
  tenant: (facts) => facts.principal.tenant,
  upstream: (facts) => facts.upstream,
  tool: (facts) => facts.target,
};

function compileKey(key: readonly KeyPart[]): (facts: LimitFacts) => string {
  const parts = key.map((part) => PARTS[part]);
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return (facts) => only(facts) ?? '';
  return (facts) => parts.reduce((joined, part) => joined + sized(part(facts)), '');
}

/** The length in front keeps `ab` + `c` apart from `a` + `bc`, whatever the parts hold. */
const sized = (text: string = ''): string => `${text.length}:${text}`;
