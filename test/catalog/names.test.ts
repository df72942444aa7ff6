import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exposedName, hashedName, nameHash } from '../../src/catalog/names.ts';
import { catalogOf, exposed, NAMING, source, tool } from './kit.ts';

const VALID = /^[a-zA-Z0-9_-]+$/;
/** Names as servers have them, many of them alike once they are made valid or cut. */
const original = fc.oneof(
  fc.constantFrom('a.b', 'a/b', 'a_b', '_x', '9x', 'constructor', '__proto__', 'toString', 'é', ' '),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
  fc.stringMatching(/^[a-z]{50}[a-c]{1,40}$/),
);

describe('an exposed name', () => {
  it('is valid, within the budget and always the same', () => {
    fc.assert(
      fc.property(
        original,
        fc.integer({ min: 16, max: 128 }),
        fc.constantFrom('__', '.', '-'),
        (name, maxLength, separator) => {
          for (const make of [exposedName, hashedName]) {
            const made = make('files', 'files', name, { separator, maxLength });
            expect(made).toMatch(VALID);
            expect(made.length).toBeLessThanOrEqual(maxLength);
            expect(make('files', 'files', name, { separator, maxLength })).toBe(made);
          }
        },
      ),
    );
  });

  it('is the plain one where that is valid, and passes as it is without a prefix', () => {
    expect(exposedName('files', 'files', 'read_file', NAMING)).toBe('files__read_file');
    expect(exposedName('', 'files', 'a.b/c', NAMING)).toBe('a.b/c');
    expect(exposedName('files', 'files', 'a.b', NAMING)).toBe(`files__a_b_${nameHash('files', 'a.b')}`);
  });

  it('of a long original is cut and hashed', () => {
    const name = exposedName('a'.repeat(20), 'a', 'b'.repeat(60), NAMING);
    expect(name).toHaveLength(64);
    expect(name.endsWith(`_${nameHash('a', 'b'.repeat(60))}`)).toBe(true);
  });

  it('keeps its hash for ever: clients have it in their prompts and settings', () => {
    expect(nameHash('files', 'a.b')).toBe('386a2e');
  });
});

describe('in a catalog', () => {
  it('no two originals of one upstream share a name, and each name leads back', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(original, { maxLength: 30 }),
        fc.integer({ min: 16, max: 64 }),
        fc.constantFrom('', 'files'),
        (names, maxLength, prefix) => {
          const usable = names.filter((name) => !name.includes('\0'));
          const catalog = catalogOf([source('files', { prefix, tools: names })], new Map(), {
            separator: '__',
            maxLength,
          });
          const shown = exposed(catalog, 'tool');
          expect(new Set(shown).size).toBe(usable.length);
          expect(shown.map((name) => tool(catalog, name))).toEqual(usable.map((name) => `files ${name}`));
          for (const name of usable) {
            const hashed = hashedName(prefix, 'files', name, { separator: '__', maxLength });
            expect(tool(catalog, hashed)).toBe(`files ${name}`);
          }
        },
      ),
    );
  });

  it('a name that is spelled like the hashed form of another takes nothing from it', () => {
    const hashed = hashedName('files', 'files', 'a.b', NAMING);
    const twin = hashed.slice('files__'.length);
    for (const tools of [
      ['a.b', twin],
      [twin, 'a.b'],
    ]) {
      const catalog = catalogOf([source('files', { tools })]);
      const names = exposed(catalog, 'tool');
      expect(new Set(names).size).toBe(names.length);
      for (const [i, name] of names.entries()) expect(tool(catalog, name)).toBe(`files ${tools[i]}`);
    }
  });

  it('a name without text, with a NUL or of a book’s length is left out and told', () => {
    const catalog = catalogOf([
      source('files', { tools: ['', 'a\0b', 'x'.repeat(2_000), { title: 'no name' }, { name: 5 }, 'ok'] }),
    ]);
    expect(exposed(catalog, 'tool')).toEqual(['files__ok']);
    // A rule cannot allow what has no name: those are not even looked at.
    expect(catalog.warnings).toHaveLength(3);
  });

  it('a name listed twice is there once', () => {
    const catalog = catalogOf([source('files', { tools: [{ name: 'a', title: 'first' }, 'a'] })]);
    expect(catalog.entries.tool.map(({ target }) => target.title)).toEqual(['first']);
    expect(catalog.warnings).toEqual(['files lists the tool "a" twice; the first is kept']);
  });
});
