import { expect, it } from 'vitest';
import { compileGlob } from '../src/glob.ts';

it.each([
  ['read_file', 'read_file', true],
  ['read_file', 'read_files', false],
  ['*', '', true],
  ['*', 'anything\nat all', true],
  ['read_*', 'read_', true],
  ['read_*', 'unread_a', false],
  ['*_file', 'read_file', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*bc*c', 'abc', false],
  ['a**c', 'abc', true],
  ['a.c', 'abc', false],
  ['[a-z]+', 'abc', false],
  ['Read_*', 'read_a', false],
  ['', '', true],
  ['', 'a', false],
])('%j on %j: %s', (glob, text, fits) => {
  expect(compileGlob(glob)(text)).toBe(fits);
});

it('is not slow on what makes backtracking explode', () => {
  const fits = compileGlob(`${'*a'.repeat(40)}*b`);
  const started = performance.now();
  expect(fits('a'.repeat(100_000))).toBe(false);
  expect(performance.now() - started).toBeLessThan(500);
});
