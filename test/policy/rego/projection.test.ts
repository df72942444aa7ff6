import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { projection } from '../../../src/policy/rego/projection.ts';
import { runToolchain } from '../../../src/policy/rego/toolchain.ts';
import type { PolicyInput } from '../../../src/policy/policy.ts';
import { inputOf } from '../policies.ts';

async function readsOf(rules: string): Promise<readonly (readonly string[])[] | null> {
  const files = {
    'gateway.rego': `package gateway\n\n${rules}\n`,
    'lib.rego': 'package lib\n\nwhole := input\n',
  };
  return (await runToolchain('compile', { files })).reads;
}

describe('what a policy reads', () => {
  test.each([
    [
      'paths',
      'allow if input.principal.id == input.arguments.user.name',
      [
        ['arguments', 'user', 'name'],
        ['principal', 'id'],
      ],
    ],
    ['an index is cut', 'allow if input.arguments.list[0].name', [['arguments', 'list']]],
    ['a variable key is cut', 'allow if input.arguments.map[_].x', [['arguments', 'map']]],
    ['a key from another member', 'allow if input.arguments[input.method]', [['arguments'], ['method']]],
    ['a longer path below a shorter', 'allow if {\n\tinput.target.name\n\tinput.target\n}', [['target']]],
    ['through an alias', 'allow if {\n\tt := input.target\n\tt.name == "x"\n}', [['target']]],
    [
      'through a function',
      'same(x) if x == input.profile\n\nallow if same(input.method)',
      [['method'], ['profile']],
    ],
    ['only in a negation', 'allow if not input.arguments.force', [['arguments', 'force']]],
    [
      'in an else branch',
      'x := 1 if input.method\nelse := 2 if input.profile\n\nallow if x == 2',
      [['method'], ['profile']],
    ],
    [
      'in a comprehension',
      'allow if count([r | some r in input.principal.roles]) > 1',
      [['principal', 'roles']],
    ],
    [
      'in a template',
      'allow if true\n\ndeny contains $"no {input.target.name}" if false',
      [['target', 'name']],
    ],
    [
      'in a default and a mask',
      'default allow := false\n\nmask contains input.arguments.field',
      [['arguments', 'field']],
    ],
    [
      'under with',
      'allow if inner with input.method as "x"\n\ninner if input.method == input.profile',
      [['method'], ['profile']],
    ],
    ['rules nobody asks for', 'allow if true\n\nunused if input.arguments', []],
    ['nothing', 'allow if true', []],
  ])('%s', async (_, rules, expected) => {
    expect(await readsOf(rules)).toEqual(expected);
  });

  test.each([
    ['whole', 'x := input\n\nallow if x.method'],
    ['by computed key', 'allow if {\n\tsome key\n\tinput[key] == "x"\n}'],
    ['by a key from the input', 'allow if input[input.profile]'],
    ['as an argument', 'allow if object.get(input, "method", "")'],
    ['as a function argument', 'f(x) if x.method\n\nallow if f(input)'],
    ['walked', 'allow if {\n\twalk(input, [p, v])\n\tv == "x"\n}'],
    ['replaced by part of itself', 'allow if inner with input as {"a": input}\n\ninner if input.a'],
    ['in a library by dynamic reference', 'allow if data.lib[input.method]'],
    ['with a changing builtin', 'allow if time.now_ns() > 0'],
  ])('%s: cannot be said', async (_, rules) => {
    expect(await readsOf(rules)).toBeNull();
  });
});

describe('projection', () => {
  test('null takes everything; a list takes those paths and the phase', () => {
    const input = inputOf({ arguments: { path: '/x', other: 1 } });
    expect(JSON.parse(projection(null)(input))).toEqual(JSON.parse(JSON.stringify(input)));
    const reads = [
      ['arguments', 'path'],
      ['target', 'name'],
      ['target', 'missing', 'deep'],
    ];
    expect(JSON.parse(projection(reads)(input))).toEqual({
      phase: 'request',
      arguments: { path: '/x' },
      target: { name: 'read_file' },
    });
  });

  test('inputs that differ at a read path have different texts, others the same', () => {
    const names = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'length');
    const value = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, true, 1, 'x', 'y'),
        fc.array(tie('json'), { maxLength: 2 }),
        fc
          .array(fc.tuple(names, tie('json')), { maxLength: 3 })
          .map(
            (entries) =>
              JSON.parse(
                `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(member)}`).join(',')}}`,
              ) as unknown,
          ),
      ),
    })).json;
    const paths = fc.array(fc.array(names, { minLength: 1, maxLength: 3 }), { maxLength: 3 });
    fc.assert(
      fc.property(paths, value, value, (reads, a, b) => {
        const textOf = projection(reads.map((path) => ['arguments', ...path]));
        const same = reads.every((path) => JSON.stringify(at(a, path)) === JSON.stringify(at(b, path)));
        const [left, right] = [a, b].map((member) =>
          textOf({ phase: 'request', arguments: member } as unknown as PolicyInput),
        );
        if (!same) expect(left).not.toBe(right);
      }),
    );
  });
});

/** The value Rego finds at that path: only through members of objects. */
function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (here, name) =>
      typeof here === 'object' && here !== null && !Array.isArray(here) && Object.hasOwn(here, name)
        ? (here as Record<string, unknown>)[name]
        : undefined,
    value,
  );
}
