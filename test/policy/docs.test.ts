import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtinTable } from '../../src/policy/rego/builtin-table.ts';
import { runToolchain } from '../../src/policy/rego/toolchain.ts';

const docs = readFileSync(new URL('../../docs/policy.md', import.meta.url), 'utf8');

/** Formatters align the columns of tables: only the words count. */
function words(markdown: string): string {
  return markdown.replaceAll(/-{3,}/g, '---').replaceAll(/\s+/g, ' ').trim();
}

test('the table of builtins is the one in code', () => {
  const [, table = ''] = /<!-- builtins -->(.*)<!-- \/builtins -->/s.exec(docs) ?? [];
  expect(words(table)).toBe(words(builtinTable()));
});

test('every whole policy in the text passes the check', async () => {
  const examples = [...docs.matchAll(/```rego\n(package gateway\n.*?)```/gs)].map(([, text = '']) => text);
  expect(examples.length).toBeGreaterThan(0);
  for (const text of examples)
    expect((await runToolchain('check', { files: { 'gateway.rego': text } })).warnings).toEqual([]);
});
