import { describe, expect, it } from 'vitest';
import type { Ownership } from '../../src/catalog/catalog.ts';
import { hashedName } from '../../src/catalog/names.ts';
import type { JsonObject } from '../../src/model.ts';
import { catalogOf, exposed, NAMING, source, tool } from './kit.ts';

const shown = (catalog: ReturnType<typeof catalogOf>, index = 0): JsonObject =>
  JSON.parse(catalog.entries.tool[index]!.text) as JsonObject;

describe('two upstreams with the same name', () => {
  const first = source('a', { prefix: 'x', tools: ['run'] });
  const second = source('b', { prefix: 'x', tools: ['run', 'other'] });
  const hashed = hashedName('x', 'b', 'run', NAMING);

  it('are both reachable; the first in order has the plain name', () => {
    const catalog = catalogOf([first, second]);
    expect(exposed(catalog, 'tool')).toEqual(['x__run', hashed, 'x__other']);
    expect(tool(catalog, 'x__run')).toBe('a run');
    expect(tool(catalog, hashed)).toBe('b run');
    expect(catalog.warnings).toEqual([
      `the tool name "x__run" belongs to a run; that of b is served as "${hashed}"`,
    ]);
  });

  it('answer to their hashed forms, collision or not', () => {
    const catalog = catalogOf([first, second]);
    expect(tool(catalog, hashedName('x', 'a', 'run', NAMING))).toBe('a run');
    expect(tool(catalog, hashedName('x', 'b', 'other', NAMING))).toBe('b other');
  });

  it('do not collide as tool and prompt', () => {
    const catalog = catalogOf([first, source('b', { prefix: 'x', prompts: ['run'] })]);
    expect(exposed(catalog, 'prompt')).toEqual(['x__run']);
    expect(catalog.warnings).toEqual([]);
  });
});

describe('a name keeps its meaning across rebuilds', () => {
  it('when the upstream of an earlier place comes late', () => {
    const owners: Ownership = new Map();
    const late = source('a', { prefix: 'x', tools: ['run'] });
    const early = source('b', { prefix: 'x', tools: ['run'] });
    catalogOf([source('a', { prefix: 'x' }), early], owners);
    const catalog = catalogOf([late, early], owners);
    expect(tool(catalog, 'x__run')).toBe('b run');
    expect(exposed(catalog, 'tool')).toContain(hashedName('x', 'a', 'run', NAMING));
  });

  it('when its owner no longer lists it', () => {
    const owners: Ownership = new Map();
    catalogOf([source('a', { prefix: 'x', tools: ['run'] })], owners);
    const catalog = catalogOf(
      [source('a', { prefix: 'x' }), source('b', { prefix: 'x', tools: ['run'] })],
      owners,
    );
    expect(catalog.byName('tool', 'x__run')).toBeUndefined();
  });

  it('also as a hashed form that an upstream without a prefix would like to have', () => {
    const owners: Ownership = new Map();
    const files = source('files', { tools: ['read'] });
    const hashed = hashedName('files', 'files', 'read', NAMING);
    const thief = source('thief', { prefix: '', tools: [hashed, 'files__read'] });
    catalogOf([files], owners);
    for (const sources of [[files, thief], [thief, files], [thief]]) {
      const catalog = catalogOf(sources, owners);
      const wanted = sources.includes(files) ? 'files read' : undefined;
      expect(tool(catalog, hashed)).toBe(wanted);
      expect(tool(catalog, 'files__read')).toBe(wanted);
      // The thief's tools are there, under names of their own.
      expect(catalog.entries.tool.filter(({ target }) => target.upstream === 'thief')).toHaveLength(2);
    }
  });
});

describe('the rules of an upstream', () => {
  it('rename and describe by the original name', () => {
    const catalog = catalogOf([
      source('t', {
        tools: [{ name: 'find', description: 'old', inputSchema: { type: 'object' } }, 'keep'],
        rules: { rename: { find: 'search' }, describe: { find: 'Search tickets' } },
      }),
    ]);
    expect(shown(catalog)).toEqual({
      name: 't__search',
      description: 'Search tickets',
      inputSchema: { type: 'object' },
    });
    expect(tool(catalog, 't__search')).toBe('t find');
    expect(tool(catalog, 't__find')).toBeUndefined();
    expect(shown(catalog, 1)).toEqual({ name: 't__keep', inputSchema: { type: 'object' } });
  });

  it('keep two originals apart that are renamed to one name', () => {
    const catalog = catalogOf([
      source('t', { tools: ['a', 'b'], rules: { rename: { a: 'same', b: 'same' } } }),
    ]);
    expect(exposed(catalog, 'tool').map((name) => tool(catalog, name))).toEqual(['t a', 't b']);
  });

  it('do not apply to tools that are called like members of every object', () => {
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
    const tools = names.map((name) => ({ name, description: 'mine' }));
    const catalog = catalogOf([source('t', { tools })]);
    expect(exposed(catalog, 'tool')).toEqual(names.map((name) => `t__${name}`));
    for (const i of names.keys()) expect(shown(catalog, i)['description']).toBe('mine');
  });

  it.each([
    [['*'], [], ['read_file', 'delete_file', 'delete', 'a*b']],
    [['read_*'], [], ['read_file']],
    [['*'], ['delete_*'], ['read_file', 'delete', 'a*b']],
    [['delete_file'], ['*'], []],
    [['*_file'], ['d*e'], ['read_file']],
    [['Read_*'], [], []],
    [[], [], []],
  ])('allow %j and deny %j: %j', (allow, deny, left) => {
    const tools = ['read_file', 'delete_file', 'delete', 'a*b'];
    const catalog = catalogOf([source('t', { tools, rules: { allow, deny } })]);
    expect(catalog.entries.tool.map(({ target }) => target.name)).toEqual(left);
    for (const name of tools.filter((each) => !left.includes(each))) {
      expect(tool(catalog, `t__${name}`)).toBeUndefined();
      expect(tool(catalog, hashedName('t', 't', name, NAMING))).toBeUndefined();
    }
  });
});

describe('annotations', () => {
  const annotated = [{ name: 'a', annotations: { readOnlyHint: true, destructiveHint: 'no', other: 1 } }];
  const of = (setup: Parameters<typeof source>[1]) =>
    catalogOf([source('t', { tools: annotated, ...setup })]).entries.tool[0]!.target;
  const WORST = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

  it('are the worst case unless somebody who is trusted says otherwise', () => {
    expect(of({}).annotations).toEqual(WORST);
    expect(of({}).claims).toEqual({ readOnlyHint: true, destructiveHint: 'no', other: 1 });
  });

  it('are the server’s where it is trusted, as far as they are hints', () => {
    expect(of({ trustAnnotations: true }).annotations).toEqual({ ...WORST, readOnlyHint: true });
  });

  it('are the operator’s before all', () => {
    const rules = { annotations: { a: { readOnlyHint: false, idempotentHint: true } } };
    expect(of({ trustAnnotations: true, rules }).annotations).toEqual({ ...WORST, idempotentHint: true });
    expect(of({ rules: { annotations: { b: { readOnlyHint: true } } } }).annotations).toEqual(WORST);
  });
});

describe('a definition', () => {
  it('passes whole: unknown members, schemas, order', () => {
    const definition = {
      zeta: [1, { $ref: '#/definitions/x' }],
      name: 'a',
      inputSchema: { type: 'object' },
      definitions: { x: {} },
      _meta: { k: null },
    };
    const catalog = catalogOf([source('t', { tools: [definition] })]);
    expect(catalog.entries.tool[0]!.text).toBe(JSON.stringify({ ...definition, name: 't__a' }));
  });

  it('that changes changes the digest of its target and of its list, and no other', () => {
    const before = catalogOf([source('t', { tools: [{ name: 'a', description: 'safe' }], prompts: ['p'] })]);
    const after = catalogOf([source('t', { tools: [{ name: 'a', description: 'safe ' }], prompts: ['p'] })]);
    expect(after.entries.tool[0]!.target.digest).not.toBe(before.entries.tool[0]!.target.digest);
    expect(after.digest.tool).not.toBe(before.digest.tool);
    expect(after.digest.prompt).toBe(before.digest.prompt);
  });

  it('gives the same catalog when it is listed again', () => {
    const owners: Ownership = new Map();
    const sources = [
      source('a', { tools: ['x', 'y'], resources: ['u:1'] }),
      source('b', { resources: ['u:1'] }),
    ];
    expect(catalogOf(sources, owners).digest).toEqual(catalogOf(sources, owners).digest);
  });
});

it('does not list a tool that can only be called as a task', () => {
  const tools = ['required', 'optional', 'forbidden'].map((taskSupport) => ({
    name: taskSupport,
    execution: { taskSupport },
  }));
  const catalog = catalogOf([source('a', { tools })]);
  expect(exposed(catalog, 'tool')).toEqual(['a__optional', 'a__forbidden']);
  expect(tool(catalog, 'a__required')).toBeUndefined();
  expect(catalog.warnings).toEqual([expect.stringContaining('"required" as a task only')]);
});
