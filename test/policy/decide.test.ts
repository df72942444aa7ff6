import { describe, expect, test } from 'vitest';
import type { Decision, JsonObject } from '../../src/model.ts';
import type { Policy, PolicyInput } from '../../src/policy/policy.ts';
import { inputOf, policyOf } from './policies.ts';

/** Takes far longer than any deadline here; only for the tool "slow". */
const SLOW = `
allow if input.target.name != "slow"

allow if {
	input.target.name == "slow"
	some i in numbers.range(1, 1500)
	some j in numbers.range(1, 1500)
	i * j == -1
}
`;

/** Always a promise: what is open together can be awaited together. */
async function decided(policy: Policy, input: PolicyInput, queue: string): Promise<Decision> {
  return policy.decide(input, queue);
}

describe('answers', () => {
  test.each([
    ['allow', 'allow if true', { allow: true, reasons: [] }],
    ['not allowed', 'allow if false', { allow: false, reasons: [] }],
    [
      'deny wins, reasons sorted',
      'allow if true\ndeny contains "b"\ndeny contains "a"',
      { allow: false, reasons: ['a', 'b'] },
    ],
    [
      'an empty deny is no objection',
      'allow if true\ndeny contains "a" if false',
      { allow: true, reasons: [] },
    ],
    [
      'tags and mask',
      'allow if true\ntags contains "t"\nmask contains "a.b"',
      { allow: true, tags: ['t'], mask: ['a.b'] },
    ],
  ])('%s', async (_, rules, expected) => {
    const decision = await (await policyOf(rules)).decide(inputOf(), 'a');
    expect(decision).toMatchObject(expected);
    expect(decision.failed).toBeUndefined();
  });

  test.each([
    ['allow a text', 'allow := "true"'],
    ['allow a number', 'allow := 1'],
    ['allow a list', 'allow := []'],
    ['allow null', 'allow := null'],
    ['allow an object', 'allow := {"a": true}'],
    ['deny a text', 'allow := true\ndeny := "no"'],
    ['deny true', 'allow := true\ndeny := true'],
    ['deny an object', 'allow := true\ndeny := {}'],
    ['deny with other things than texts', 'allow := true\ndeny contains 1'],
    ['tags a text', 'allow := true\ntags := "t"'],
    ['mask with null', 'allow := true\nmask contains null'],
    ['a conflict', 'allow := input.phase == "request"\nallow := input.phase == "list"'],
    ['a builtin that gives up', 'allow if time.clock([1, "No/Where"])[0] == 0'],
  ])('%s fails and denies', async (_, rules) => {
    const policy = await policyOf(rules);
    for (let round = 0; round < 2; round++) {
      const decision = await policy.decide(inputOf(), 'a');
      expect(decision).toMatchObject({
        allow: false,
        failed: true,
        reasons: [expect.stringMatching(/^policy error/)],
      });
    }
  });

  test('a failed evaluation leaves the worker fit for the next', async () => {
    const policy = await policyOf('allow := input.arguments.a\nallow := input.arguments.b');
    for (let round = 0; round < 5; round++) {
      expect(await policy.decide(inputOf({ arguments: { a: true, b: false } }), 'a')).toMatchObject({
        failed: true,
      });
      expect(await policy.decide(inputOf({ arguments: { a: true, b: true, round } }), 'a')).toMatchObject({
        allow: true,
      });
    }
  });
});

describe('inputs that cannot be decided are denied', () => {
  test('a lone surrogate', async () => {
    const policy = await policyOf('allow if input.arguments.text != ""');
    expect(await policy.decide(inputOf({ arguments: { text: '\ud800' } }), 'a')).toMatchObject({
      allow: false,
      failed: true,
    });
  });

  test('more than policy.maxInput, where the policy reads it', async () => {
    const policy = await policyOf('allow if count(input.arguments.text) > 0', { maxInput: 1_000 });
    const decide = (member: string) =>
      policy.decide(inputOf({ arguments: { text: 'x', [member]: 'é'.repeat(600) } }), 'a');
    expect(await decide('text')).toMatchObject({
      failed: true,
      reasons: [expect.stringContaining('maxInput')],
    });
    expect(await decide('other')).toMatchObject({ allow: true });
  });

  test('nesting that no stack holds', async () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 200_000; level++) deep = { deep };
    const policy = await policyOf('allow if input.arguments.deep');
    expect(await policy.decide(inputOf({ arguments: deep }), 'a')).toMatchObject({
      allow: false,
      failed: true,
    });
  });
});

describe('deadline', () => {
  test('denies only the culprit; others are decided meanwhile and after', async () => {
    const policy = await policyOf(SLOW, { deadline: 100 });
    const culprit = policy.decide(inputOf({ tool: 'slow' }), 'mallory');
    const others = Array.from({ length: 50 }, (_, index) =>
      decided(policy, inputOf({ tool: `tool${index}` }), 'alice'),
    );
    for (const decision of await Promise.all(others)) expect(decision).toMatchObject({ allow: true });
    expect(await culprit).toMatchObject({
      allow: false,
      failed: true,
      reasons: [expect.stringContaining('100 ms')],
    });
    expect(await policy.decide(inputOf({ tool: 'after' }), 'alice')).toMatchObject({ allow: true });
  });

  test('two culprits at once take both workers down, and both come back', async () => {
    const policy = await policyOf(SLOW, { deadline: 100 });
    const culprits = [1, 2, 3, 4].map(() => decided(policy, inputOf({ tool: 'slow' }), 'mallory'));
    for (const decision of await Promise.all(culprits)) expect(decision).toMatchObject({ failed: true });
    expect(await policy.decide(inputOf({ tool: 'after' }), 'alice')).toMatchObject({ allow: true });
  });

  test('in a list only the culprit is denied', async () => {
    const policy = await policyOf(SLOW, { deadline: 100 });
    const tools = ['a', 'b', 'slow', 'c', 'd'];
    const decisions = await policy.decideAll(
      tools.map((tool) => inputOf({ tool })),
      'alice',
    );
    expect(decisions.map(({ allow }) => allow)).toEqual([true, true, false, true, true]);
    expect(decisions[2]).toMatchObject({ failed: true });
  });

  test('who waits too long is told so, not denied for cause', async () => {
    const policy = await policyOf(SLOW, { deadline: 400, queue: 50 });
    const slow = Array.from({ length: 8 }, () => decided(policy, inputOf({ tool: 'slow' }), 'mallory'));
    const late = await policy.decide(inputOf({ tool: 'late' }), 'alice');
    expect(late).toMatchObject({ allow: false, overloaded: true });
    expect(late.failed).toBeUndefined();
    await Promise.all(slow);
  });
});

describe('caching', () => {
  test('a known answer needs no promise, and differs by what is read', async () => {
    const policy = await policyOf('allow if input.target.name == "a"\nallow if input.arguments.path == "/x"');
    await policy.decide(inputOf({ tool: 'a', arguments: { path: '/y' } }), 'alice');
    expect(policy.decide(inputOf({ tool: 'a', arguments: { path: '/y', more: 1 } }), 'bob')).toMatchObject({
      allow: true,
    });
    for (const input of [
      inputOf({ tool: 'b' }),
      inputOf({ tool: 'a' }),
      inputOf({ tool: 'a', phase: 'list', arguments: { path: '/y' } }),
    ]) {
      expect(policy.decide(input, 'alice')).toBeInstanceOf(Promise);
    }
  });

  test('a list is answered from what calls have found, and the other way round', async () => {
    const policy = await policyOf('allow if input.target.name != "c"');
    const inputs = ['a', 'b', 'c'].map((tool) => inputOf({ tool }));
    const answers = await policy.decideAll(inputs, 'alice');
    expect(answers.map(({ allow }) => allow)).toEqual([true, true, false]);
    for (const [index, input] of inputs.entries()) expect(policy.decide(input, 'alice')).toBe(answers[index]);
  });

  test.each([
    ['input whole', 'x := input\nallow if x.method'],
    ['input by computed key', 'allow if {\n\tsome key\n\tinput[key] == "tools/call"\n}'],
    ['input as an argument', 'allow if object.get(input, "method", "") != ""'],
    ['the time of the machine', 'allow if time.now_ns() > 0'],
    ['the time of the input', 'allow if input.time'],
  ])('%s is never cached', async (_, rules) => {
    const policy = await policyOf(rules);
    for (let round = 0; round < 2; round++) {
      const decision = policy.decide(inputOf(), 'alice');
      expect(decision).toBeInstanceOf(Promise);
      expect(await decision).toMatchObject({ allow: true });
    }
  });

  test('failures are asked again', async () => {
    const policy = await policyOf('allow := input.method');
    await policy.decide(inputOf(), 'alice');
    expect(policy.decide(inputOf(), 'alice')).toBeInstanceOf(Promise);
  });

  test('members named like those of objects, arrays and raw numbers are members only where they are', async () => {
    const policy = await policyOf(
      [
        'allow if input.arguments.constructor',
        'allow if input.arguments.list.length',
        'allow if input.arguments.number.rawJSON',
        'allow if input.arguments["__proto__"].admin == true',
      ].join('\n'),
    );
    const raw = JSON as unknown as { rawJSON(text: string): number };
    const decide = (values: JsonObject) => policy.decide(inputOf({ arguments: values }), 'alice');
    expect(await decide({ list: [1], number: raw.rawJSON('1e400') })).toMatchObject({ allow: false });
    expect(await decide(JSON.parse('{"__proto__": {"admin": true}}') as JsonObject)).toMatchObject({
      allow: true,
    });
    expect(await decide({ constructor: 'x' })).toMatchObject({ allow: true });
  });
});

describe('close', () => {
  test('answers what is open and everything after as failed', async () => {
    const policy = await policyOf(SLOW, { deadline: 60_000 });
    const open = [1, 2, 3].map(() => decided(policy, inputOf({ tool: 'slow' }), 'alice'));
    await policy.close();
    for (const decision of await Promise.all(open))
      expect(decision).toMatchObject({ allow: false, failed: true });
    expect(await policy.decide(inputOf(), 'alice')).toMatchObject({ allow: false, failed: true });
  });
});
