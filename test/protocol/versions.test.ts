import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/model.ts';
import { eraOf, isLegacyVersion, META, metaOf, MODERN_VERSION } from '../../src/protocol/versions.ts';

it.each([
  [
    'initialize with a version in _meta',
    'initialize',
    { _meta: { [META.protocolVersion]: MODERN_VERSION } },
    MODERN_VERSION,
    'modern',
  ],
  ['initialize, whatever its header,', 'initialize', {}, MODERN_VERSION, 'legacy'],
  [
    'a version in _meta',
    'tools/list',
    { _meta: { [META.protocolVersion]: MODERN_VERSION } },
    undefined,
    'modern',
  ],
  [
    'an unknown version in _meta',
    'tools/list',
    { _meta: { [META.protocolVersion]: 7 } },
    undefined,
    'modern',
  ],
  ['the header alone', 'tools/list', {}, MODERN_VERSION, 'modern'],
  ['a later header', 'tools/list', {}, '2027-01-01', 'modern'],
  ['an older header', 'tools/list', {}, '2025-11-25', 'legacy'],
  ['nothing', 'tools/list', {}, undefined, 'legacy'],
  ['a _meta that is none', 'tools/list', { _meta: [META.protocolVersion] }, undefined, 'legacy'],
] as const)('%s decides on the era', (_what, method, params, header, era) => {
  expect(eraOf(method, params as unknown as JsonObject, header)).toBe(era);
});

it('knows the legacy revisions by name only', () => {
  expect(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].every(isLegacyVersion)).toBe(true);
  for (const version of [MODERN_VERSION, '2024-10-07', '2025-06', '', null, 20251125])
    expect(isLegacyVersion(version)).toBe(false);
});

it('reads _meta only from an object', () => {
  expect(metaOf({ _meta: { a: 1 } })).toEqual({ a: 1 });
  for (const _meta of [null, [], 'x', 5]) expect(metaOf({ _meta })).toEqual({});
});
