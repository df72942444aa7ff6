import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ownership } from '../../src/catalog/catalog.ts';
import { fitsTemplate, mapUri, unmapUri } from '../../src/catalog/uris.ts';
import { catalogOf, exposed, resource, source } from './kit.ts';

const IDS = ['a', 'b', 'files'];
const isUpstream = (id: string): boolean => IDS.includes(id);
const uri = fc.oneof(
  fc.webUrl({ withQueryParameters: true }),
  fc.constantFrom('file:///srv/a+b', 'ui://', 'ui://x/y', 'urn:a+b:c', 'a+b+demo://1', 'demo://é', '+', ''),
  fc.string({ unit: 'binary' }),
);

describe('the mapped form', () => {
  it('leads back to upstream and URI, also when it is mapped twice', () => {
    fc.assert(
      fc.property(fc.constantFrom(...IDS), uri, (upstream, original) => {
        const mapped = mapUri(upstream, original);
        expect(unmapUri(mapped, isUpstream)).toEqual({ upstream, uri: original });
        expect(unmapUri(mapUri('b', mapped), isUpstream)).toEqual({ upstream: 'b', uri: mapped });
      }),
    );
  });

  it('is a URI where the original is one', () => {
    expect(mapUri('files', 'demo://doc/1')).toBe('files+demo://doc/1');
    expect(new URL(mapUri('files', 'demo://doc/1')).protocol).toBe('files+demo:');
    expect(mapUri('files', 'ui://app/index')).toBe('ui://files/app/index');
  });

  it('is only that of an upstream', () => {
    for (const text of ['git+ssh://host', 'demo://a', 'ui://other/x', 'ui://a', 'A+demo://1'])
      expect(unmapUri(text, isUpstream)).toBeUndefined();
  });
});

describe('a template', () => {
  it.each([
    ['test://t/{id}/data', 'test://t/5/data', true],
    ['test://t/{id}/data', 'test://t//data', true],
    ['test://t/{id}/data', 'test://t/5/datax', false],
    ['test://t/{id}', 'test://other/5', false],
    ['test://t/{id}', 'test://t/', true],
    ['x{a}y{b}z', 'xyz', true],
    ['x{a}yy{b}yz', 'xyyz', false],
    ['ab{a}ba', 'aba', false],
    ['file:///{+path}', 'file:///a/b/c', true],
    ['s:{a,b*}{?q}', 's:1?q=2', true],
    ['plain:1', 'plain:1', true],
    ['plain:1', 'plain:10', false],
    ['s:{}', 's:1', true],
    ['s:{a', 's:{a', true],
  ])('%s and %s: %s', (template, text, fits) => {
    expect(fitsTemplate(template, text)).toBe(fits);
  });

  it('fits what it was filled with', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '/') });
    fc.assert(
      fc.property(fc.array(fc.tuple(part, part), { minLength: 1, maxLength: 6 }), part, (pieces, end) => {
        const template = `${pieces.map(([literal]) => `${literal}{x}`).join('')}${end}`;
        const filled = `${pieces.flat().join('')}${end}`;
        expect(fitsTemplate(template, filled)).toBe(true);
      }),
    );
  });

  it.each([
    ['a URI of 100 KB', '{a}b{c}', `a${'b'.repeat(100_000)}`],
    ['many expressions', `${'{a}x'.repeat(2_000)}y`, 'x'.repeat(8_000)],
    ['pieces that nearly fit', `{a}${'a'.repeat(4_000)}b{c}d`, 'a'.repeat(8_192)],
    ['unclosed expressions', '{'.repeat(8_000), '{'.repeat(8_000)],
    ['a template of 10 MB', '{a'.repeat(5_000_000), 'a'.repeat(8_000)],
    ['explode modifiers', `u:${'{/a*}{?b*}'.repeat(700)}`, `u:${'/'.repeat(8_000)}`],
  ])('is compared with %s in under 50 ms', (_what, template, text) => {
    const catalog = catalogOf([source('a', { templates: [template] })]);
    const started = performance.now();
    catalog.byUri(text);
    fitsTemplate(template, text);
    expect(performance.now() - started).toBeLessThan(50);
  });
});

describe('the URI of one upstream', () => {
  const catalog = catalogOf([source('a', { resources: ['demo://1'], templates: ['demo://t/{id}'] })]);

  it('passes unchanged', () => {
    expect(exposed(catalog, 'resource')).toEqual(['demo://1']);
    expect(resource(catalog, 'demo://1')).toBe('a demo://1');
    expect(catalog.exposeUri('a', 'demo://1')).toBe('demo://1');
  });

  it('answers to its mapped form too', () => {
    expect(resource(catalog, 'a+demo://1')).toBe('a demo://1');
  });

  it('through a template is a resource of its own', () => {
    for (const asked of ['demo://t/5', 'a+demo://t/5'])
      expect(catalog.byUri(asked)?.target).toMatchObject({
        upstream: 'a',
        kind: 'resource',
        name: 'demo://t/5',
      });
  });

  it('that nobody lists is unknown, but may be handed out', () => {
    expect(catalog.byUri('demo://2')).toBeUndefined();
    expect(catalog.exposeUri('a', 'demo://2')).toBe('a+demo://2');
    expect(resource(catalog, 'a+demo://2')).toBe('a demo://2');
  });

  it('for a view is always mapped', () => {
    const tools = [{ name: 't', _meta: { ui: { resourceUri: 'ui://index', other: 1 } } }];
    const views = catalogOf([
      source('a', { resources: ['ui://index'], tools }),
      source('b', { resources: ['ui://index'] }),
    ]);
    expect(exposed(views, 'resource')).toEqual(['ui://a/index', 'ui://b/index']);
    expect(resource(views, 'ui://b/index')).toBe('b ui://index');
    expect(JSON.parse(views.entries.tool[0]!.text)).toMatchObject({
      _meta: { ui: { resourceUri: 'ui://a/index', other: 1 } },
    });
    expect(views.warnings).toEqual([]);
  });
});

describe('two upstreams', () => {
  it('with the same URI are both reachable; the first in order has it unchanged', () => {
    const catalog = catalogOf([
      source('a', { resources: ['demo://1'] }),
      source('b', { resources: ['demo://1'] }),
    ]);
    expect(exposed(catalog, 'resource')).toEqual(['demo://1', 'b+demo://1']);
    expect(resource(catalog, 'demo://1')).toBe('a demo://1');
    expect(resource(catalog, 'b+demo://1')).toBe('b demo://1');
    expect(catalog.exposeUri('b', 'demo://1')).toBe('b+demo://1');
    expect(catalog.warnings).toEqual(['the URI demo://1 belongs to a; that of b is served as b+demo://1']);
  });

  it('with templates that fit the same URI leave it in doubt; the mapped forms are clear', () => {
    const catalog = catalogOf([
      source('a', { templates: ['db://{t}'] }),
      source('b', { templates: ['{+any}'] }),
    ]);
    expect(catalog.byUri('db://users')).toBeUndefined();
    expect(resource(catalog, 'a+db://users')).toBe('a db://users');
    expect(resource(catalog, 'b+db://users')).toBe('b db://users');
    expect(resource(catalog, 'other://x')).toBe('b other://x');
  });

  it('cannot take each other’s mapped forms', () => {
    const catalog = catalogOf([
      source('b', { resources: ['a+demo://1', 'ui://a/index'], templates: ['a+demo://{x}'] }),
      source('a', { resources: ['demo://1'] }),
    ]);
    expect(resource(catalog, 'a+demo://1')).toBe('a demo://1');
    expect(resource(catalog, 'a+demo://2')).toBe('a demo://2');
    expect(resource(catalog, 'ui://a/index')).toBe('a ui://index');
    expect(resource(catalog, 'b+a+demo://1')).toBe('b a+demo://1');
  });

  it('keep what they had first across rebuilds', () => {
    const owners: Ownership = new Map();
    const a = source('a', { resources: ['demo://1'] });
    const b = source('b', { resources: ['demo://1'] });
    catalogOf([source('a'), b], owners);
    const both = catalogOf([a, b], owners);
    expect(resource(both, 'demo://1')).toBe('b demo://1');
    expect(exposed(both, 'resource')).toEqual(['a+demo://1', 'demo://1']);
    // Gone from b's list, it passes neither to a nor to a template of a.
    const gone = catalogOf(
      [source('a', { resources: ['demo://1'], templates: ['demo://{x}'] }), source('b')],
      owners,
    );
    expect(gone.byUri('demo://1')).toBeUndefined();
    expect(resource(gone, 'a+demo://1')).toBe('a demo://1');
  });
});

describe('configuration', () => {
  it('gives an upstream the URIs of its globs, listed or not, whoever lists them first', () => {
    const catalog = catalogOf([
      source('a', { resources: ['file:///srv/x', 'file:///home'] }),
      source('b', { uris: ['file:///srv/*'], resources: ['file:///srv/x'] }),
    ]);
    expect(exposed(catalog, 'resource')).toEqual(['a+file:///srv/x', 'file:///home', 'file:///srv/x']);
    expect(resource(catalog, 'file:///srv/x')).toBe('b file:///srv/x');
    expect(resource(catalog, 'file:///srv/new')).toBe('b file:///srv/new');
    expect(catalog.exposeUri('b', 'file:///srv/new')).toBe('file:///srv/new');
    expect(catalog.exposeUri('a', 'file:///srv/x')).toBe('a+file:///srv/x');
  });

  it('leaves everything unchanged for an upstream without a prefix', () => {
    const tools = [
      { name: 'a.b', inputSchema: { type: 'object' }, _meta: { ui: { resourceUri: 'ui://index' } } },
    ];
    const only = source('a', {
      prefix: '',
      tools,
      resources: ['demo://1', 'ui://index'],
      templates: ['demo://{x}'],
    });
    const catalog = catalogOf([only]);
    expect(exposed(catalog, 'tool')).toEqual(['a.b']);
    expect(exposed(catalog, 'resource')).toEqual(['demo://1', 'ui://index']);
    expect(exposed(catalog, 'template')).toEqual(['demo://{x}']);
    expect(JSON.parse(catalog.entries.tool[0]!.text)).toEqual(tools[0]);
    for (const asked of ['demo://1', 'ui://index', 'any://thing']) {
      expect(resource(catalog, asked)).toBe(`a ${asked}`);
      expect(catalog.exposeUri('a', asked)).toBe(asked);
    }
  });

  it('lets no other upstream have a plain URI beside one without a prefix', () => {
    const catalog = catalogOf([
      source('b', { resources: ['demo://1', 'demo://2'] }),
      source('a', { prefix: '', resources: ['demo://1'] }),
    ]);
    expect(exposed(catalog, 'resource')).toEqual(['b+demo://1', 'b+demo://2', 'demo://1']);
    expect(resource(catalog, 'demo://1')).toBe('a demo://1');
    // Handed out by a, listed by b: what a says is a's.
    expect(catalog.exposeUri('a', 'demo://2')).toBe('demo://2');
    expect(resource(catalog, 'demo://2')).toBe('a demo://2');
  });

  it('of two upstreams without a prefix decides by order, and maps what neither lists', () => {
    const catalog = catalogOf([
      source('a', { prefix: '', resources: ['demo://1', 'ui://index'] }),
      source('b', { prefix: '', resources: ['demo://1', 'demo://2', 'ui://index'] }),
    ]);
    expect(exposed(catalog, 'resource')).toEqual([
      'demo://1',
      'ui://index',
      'b+demo://1',
      'demo://2',
      'ui://b/index',
    ]);
    for (const id of ['a', 'b']) {
      expect(catalog.exposeUri(id, 'demo://9')).toBe(`${id}+demo://9`);
      expect(resource(catalog, catalog.exposeUri(id, 'demo://1'))).toBe(`${id} demo://1`);
      expect(resource(catalog, catalog.exposeUri(id, 'ui://index'))).toBe(`${id} ui://index`);
    }
  });
});

it('hands out no URI that leads to another upstream', () => {
  const known = fc.constantFrom(
    'demo://1',
    'demo://2',
    'a+demo://1',
    'b+demo://1',
    'ui://x',
    'ui://a/x',
    'f:/1',
  );
  const template = fc.constantFrom('demo://{x}', 'f:{+x}', '{+any}', 'a+demo://{x}');
  const setup = fc.record({
    prefix: fc.constantFrom('', 'p'),
    uris: fc.constantFrom([], ['demo://*'], ['f:/1']),
    resources: fc.uniqueArray(known, { maxLength: 4 }),
    templates: fc.uniqueArray(template, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(setup, setup), { minLength: 1, maxLength: 3 }), known, (builds, asked) => {
      const owners: Ownership = new Map();
      for (const [a, b] of builds) {
        const catalog = catalogOf([source('a', a), source('b', b)], owners);
        for (const id of ['a', 'b'])
          expect(resource(catalog, catalog.exposeUri(id, asked))).toBe(`${id} ${asked}`);
        for (const { exposed: shown, target } of catalog.entries.resource)
          expect(resource(catalog, shown)).toBe(`${target.upstream} ${target.name}`);
      }
    }),
    { numRuns: 2_000 },
  );
});
