import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RateLimitConfig } from '../../src/config/config.ts';
import { createBucketStore } from '../../src/limits/buckets.ts';
import type { LimitFacts, Limits } from '../../src/limits/limits.ts';
import { compileLimits } from '../../src/limits/memory.ts';
import type { Principal } from '../../src/model.ts';

const MINUTE = 60_000;

function rule(more: Partial<RateLimitConfig> = {}): RateLimitConfig {
  return { name: 'per-user', key: ['principal'], match: {}, limit: { count: 60, per: MINUTE }, ...more };
}

function caller(id: string, tenant?: string): Principal {
  const rest = { kind: 'api-key', roles: [], groups: [], scopes: [], claims: {} } as const;
  return { id, key: `api-key:${id}`, ...(tenant === undefined ? {} : { tenant }), ...rest };
}

const ALICE = caller('alice', 'acme');
const BOB = caller('bob', 'acme');

const facts = (principal: Principal = ALICE, upstream?: string, target?: string): LimitFacts => ({
  principal,
  method: 'tools/call',
  upstream,
  target,
});

/** A clock that stands until it is told to move. */
function clock() {
  const time = { ms: 1_000_000, now: () => time.ms };
  return time;
}

/** How many of `tries` requests pass. */
function passed(limits: Limits, tries: number, about: LimitFacts = facts()): number {
  return Array.from({ length: tries }, () => limits.take(about)).filter(({ ok }) => ok).length;
}

describe('the rate', () => {
  it('allows the count at once, then one per interval', () => {
    const time = clock();
    const limits = compileLimits([rule()], { now: time.now });
    expect(passed(limits, 100)).toBe(60);
    time.ms += 999;
    expect(limits.take(facts())).toEqual({ ok: false, rule: 'per-user', retryAfter: 1 });
    time.ms += 1;
    expect(passed(limits, 2)).toBe(1);
    time.ms += MINUTE;
    expect(passed(limits, 100)).toBe(60);
  });

  it('allows no more than the burst at once', () => {
    const time = clock();
    const limits = compileLimits([rule({ burst: 5 })], { now: time.now });
    expect(passed(limits, 10)).toBe(5);
    time.ms += 3_000;
    expect(passed(limits, 10)).toBe(3);
  });

  it('says in whole seconds when a repeat passes, and is right', () => {
    const time = clock();
    const limits = compileLimits([rule({ limit: { count: 2, per: MINUTE }, burst: 1 })], { now: time.now });
    limits.take(facts());
    expect(limits.take(facts())).toEqual({ ok: false, rule: 'per-user', retryAfter: 30 });
    time.ms += 29_999;
    expect(limits.take(facts())).toEqual({ ok: false, rule: 'per-user', retryAfter: 1 });
    time.ms += 1;
    expect(limits.take(facts())).toEqual({ ok: true });
  });

  it('never passes more than burst + rate × time, however requests are spread', () => {
    const pauses = fc.array(fc.nat(5_000), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 50 }),
        pauses,
        (count, burst, between) => {
          const time = clock();
          const limits = compileLimits([rule({ limit: { count, per: MINUTE }, burst })], { now: time.now });
          let total = 0;
          let elapsed = 0;
          for (const pause of between) {
            time.ms += pause;
            elapsed += pause;
            total += passed(limits, 3);
            expect(total).toBeLessThanOrEqual(burst + (elapsed * count) / MINUTE + 0.01);
          }
        },
      ),
    );
  });

  it('is neither lifted nor frozen by a clock that steps back', () => {
    const time = clock();
    const limits = compileLimits([rule({ burst: 1 })], { now: time.now });
    expect(passed(limits, 2)).toBe(1);
    time.ms -= 3_600_000;
    expect(passed(limits, 2)).toBe(0);
    time.ms += 1_000;
    expect(passed(limits, 2)).toBe(1);
  });

  it('runs on the monotonic clock by default', () => {
    expect(passed(compileLimits([rule({ limit: { count: 3, per: 86_400_000 } })]), 10)).toBe(3);
  });
});

describe('keys', () => {
  it('keep two callers apart', () => {
    const limits = compileLimits([rule({ burst: 2 })], { now: clock().now });
    expect(passed(limits, 5, facts(ALICE))).toBe(2);
    expect(passed(limits, 5, facts(BOB))).toBe(2);
  });

  it('join those who share the key', () => {
    const limits = compileLimits([rule({ key: ['tenant'], burst: 2 })], { now: clock().now });
    expect(passed(limits, 5, facts(ALICE)) + passed(limits, 5, facts(BOB))).toBe(2);
    expect(passed(limits, 5, facts(caller('carol', 'other')))).toBe(2);
  });

  it('without a value are one key of their own', () => {
    const limits = compileLimits([rule({ key: ['tenant'], burst: 2 })], { now: clock().now });
    expect(passed(limits, 5, facts(caller('dave'))) + passed(limits, 5, facts(caller('erin')))).toBe(2);
  });

  it('of several parts do not run into each other', () => {
    const limits = compileLimits([rule({ key: ['upstream', 'tool'], burst: 1 })], { now: clock().now });
    expect(passed(limits, 1, facts(ALICE, 'a', 'bc'))).toBe(1);
    expect(passed(limits, 1, facts(ALICE, 'ab', 'c'))).toBe(1);
    expect(passed(limits, 1, facts(BOB, 'ab', 'c'))).toBe(0);
  });
});

describe('rules', () => {
  it('with a glob count only requests with such a target; without one, all', () => {
    const limited = (match: RateLimitConfig['match'], about: LimitFacts): boolean =>
      passed(compileLimits([rule({ match, burst: 1 })], { now: clock().now }), 2, about) === 1;
    expect(limited({}, facts(ALICE))).toBe(true);
    expect(limited({ upstream: '*' }, facts(ALICE))).toBe(false);
    expect(limited({ upstream: '*' }, facts(ALICE, 'files', 'read_file'))).toBe(true);
    expect(limited({ upstream: 'files', tool: 'write_*' }, facts(ALICE, 'files', 'write_file'))).toBe(true);
    expect(limited({ upstream: 'files', tool: 'write_*' }, facts(ALICE, 'files', 'read_file'))).toBe(false);
    expect(limited({ upstream: 'files', tool: 'write_*' }, facts(ALICE, 'other', 'write_file'))).toBe(false);
  });

  it('must all pass, and none is charged when one refuses', () => {
    const time = clock();
    const limits = compileLimits(
      [
        rule({ name: 'wide', burst: 3 }),
        rule({ name: 'narrow', match: { tool: 'write_*' }, burst: 1, limit: { count: 1, per: MINUTE } }),
      ],
      { now: time.now },
    );
    const write = facts(ALICE, 'files', 'write_file');
    expect(limits.take(write)).toEqual({ ok: true });
    expect(limits.take(write)).toEqual({ ok: false, rule: 'narrow', retryAfter: 60 });
    expect(passed(limits, 5, facts(ALICE, 'files', 'read_file'))).toBe(2);
    expect(limits.take(write)).toMatchObject({ ok: false, rule: 'wide' });
  });

  it('none allow everything', () => {
    expect(passed(compileLimits([]), 1_000)).toBe(1_000);
  });

  it('go on where they were when a new configuration has them unchanged, and start fresh when changed', () => {
    const time = clock();
    const store = createBucketStore();
    const options = { now: time.now, store };
    expect(passed(compileLimits([rule({ burst: 2 })], options), 5)).toBe(2);
    expect(passed(compileLimits([rule({ burst: 2 }), rule({ name: 'new', burst: 10 })], options), 5)).toBe(0);
    expect(passed(compileLimits([rule({ burst: 3 })], options), 5)).toBe(3);
    expect(passed(compileLimits([rule({ burst: 2 })], options), 5)).toBe(2);
  });
});

describe('room for keys', () => {
  it('is bounded: a million callers leave no more than it holds', () => {
    const store = createBucketStore();
    const one = rule({ name: 'bounded' });
    const limits = compileLimits([one], { now: clock().now, store });
    for (let i = 0; i < 1_000_000; i++) limits.take(facts({ ...ALICE, key: `invented:${i}` }));
    const [buckets] = [...store.all()];
    expect(buckets!.size).toBe(50_000);
  });

  it('cannot be used to get a limit back: who is pushed out does not start anew', () => {
    const time = clock();
    const limits = compileLimits([rule({ burst: 5 })], { now: time.now, store: createBucketStore(10) });
    expect(passed(limits, 10, facts(ALICE))).toBe(5);
    for (let i = 0; i < 100; i++) limits.take(facts(caller(`flood-${i}`)));
    expect(passed(limits, 10, facts(ALICE))).toBe(0);
    time.ms += MINUTE;
    expect(passed(limits, 10, facts(ALICE))).toBe(5);
  });
});
