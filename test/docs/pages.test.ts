/** Every page: its links lead to files and sections that exist, its commands exist, its JSON and YAML can be read. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { ROOT } from '../e2e/kit.ts';
import { readMarkdown, type CodeBlock } from './markdown.ts';

const PAGES = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  .filter((page) => page !== 'THIRD_PARTY_LICENSES.md')
  .toSorted();
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** What is wrong with a block, by language; others are not read. */
const FAULTS: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text) && undefined,
  yaml: (text) => parseDocument(text).errors[0],
};

const faultOf = ({ language, text }: CodeBlock): unknown => {
  try {
    return FAULTS[language]?.(text);
  } catch (error) {
    return error;
  }
};

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

function isThere(page: string, link: string): boolean {
  const [path = '', section] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return false;
  return section === undefined || readMarkdown(target).headings.map(anchorOf).includes(section);
}

describe.each(PAGES)('%s', (page) => {
  const { links, blocks } = readMarkdown(page);

  it('links to what exists', () => {
    expect(links.filter((link) => !isThere(page, link))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const named = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/npm run ([\w:]+)/g)];
    expect(named.map(([, script = '']) => script).filter((script) => !(script in scripts))).toEqual([]);
  });

  it('has JSON and YAML that can be read', () => {
    expect(blocks.filter((block) => faultOf(block) !== undefined)).toEqual([]);
  });
});
