/** Definitions of another form than the protocol's: repaired where a client would refuse them, untouched where not. */
import fc from 'fast-check';
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { repair } from '../../src/catalog/shape.ts';

const TOOL = { name: 't', inputSchema: { type: 'object' } };

describe('a definition', () => {
  it('that is well-formed is the same object, unknown members and all', () => {
    const definition = { ...TOOL, description: 'd', invented: null, annotations: { readOnlyHint: true } };
    expect(repair('tool', definition).definition).toBe(definition);
  });

  it.each([
    ['tool', { name: 't' }, TOOL, ['inputSchema']],
    ['tool', { name: 't', inputSchema: null }, TOOL, ['inputSchema']],
    [
      'tool',
      { name: 't', inputSchema: { x: 1 } },
      { name: 't', inputSchema: { x: 1, type: 'object' } },
      ['inputSchema'],
    ],
    ['tool', { ...TOOL, description: null, title: 1 }, TOOL, ['description', 'title']],
    ['tool', { ...TOOL, outputSchema: [], icons: [1], _meta: 'x' }, TOOL, ['outputSchema', 'icons', '_meta']],
    ['prompt', { name: 'p', arguments: 'a, b' }, { name: 'p' }, ['arguments']],
    ['resource', { uri: 'a://b' }, { uri: 'a://b', name: 'a://b' }, ['name']],
    ['template', { uriTemplate: 'a://{b}', name: 3 }, { uriTemplate: 'a://{b}', name: 'a://{b}' }, ['name']],
  ] as const)('of a %s: %j becomes %j', (kind, given, definition, members) => {
    expect(repair(kind, structuredClone(given) as never)).toEqual({ definition, members });
  });
});

it('of any form is one that the official client reads, and is repaired once', () => {
  const member = fc.constantFrom(
    'title',
    'description',
    'annotations',
    'outputSchema',
    'icons',
    '_meta',
    'inputSchema',
  );
  const wrong = fc.constantFrom(null, 1, 'text', [], [1], true);
  fc.assert(
    fc.property(fc.dictionary(member, wrong), (members) => {
      const { definition } = repair('tool', { ...members, name: 't' });
      expect(() => ListToolsResultSchema.parse({ tools: [definition] })).not.toThrow();
      expect(repair('tool', definition).members).toEqual([]);
    }),
    { seed: Date.now() },
  );
});
