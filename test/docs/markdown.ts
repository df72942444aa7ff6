/** Reads the parts of a Markdown file that tests compare: headings, blocks of code, links. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../e2e/kit.ts';

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

export interface Markdown {
  /** `#`, `##`, … in order. */
  readonly levels: readonly string[];
  readonly headings: readonly string[];
  readonly blocks: readonly CodeBlock[];
  /** Targets of links and images, without the addresses of other sites. */
  readonly links: readonly string[];
}

/** `file` counts from the root of the checkout. */
export function readMarkdown(file: string): Markdown {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));
  const prose = text.replaceAll(/^```[^]*?^```$/gm, '');
  const headings = [...prose.matchAll(/^(#+) (.+)$/gm)];
  return {
    levels: headings.map(([, level = '']) => level),
    headings: headings.map(([, , title = '']) => title),
    blocks,
    links: [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target)),
  };
}

/** Comments may be translated; the rest may not differ. */
export const withoutComments = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*(#|\/\/)/.test(line))
    .join('\n');
