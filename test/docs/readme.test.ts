/** The two READMEs say the same, and what they tell a newcomer to write works. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { legacyClient, ROOT, startGateway, temporaryFolder } from '../e2e/kit.ts';
import { readMarkdown, withoutComments } from './markdown.ts';

const english = readMarkdown('README.md');
const chinese = readMarkdown('README.zh-CN.md');
const blocksIn = (language: string): string[] =>
  english.blocks.filter((block) => block.language === language).map(({ text }) => text);

describe('README.md and README.zh-CN.md', () => {
  it('have the same sections', () => {
    expect(chinese.levels).toEqual(english.levels);
  });

  it('have the same blocks of code, apart from comments', () => {
    const comparable = ({ blocks }: typeof english) =>
      blocks.map(({ language, text }) => [language, withoutComments(text)]);
    expect(comparable(chinese)).toEqual(comparable(english));
  });

  it('lead to the same pages', () => {
    const targets = ({ links }: typeof english) => links.filter((link) => !link.startsWith('README'));
    expect(targets(chinese)).toEqual(targets(english));
    expect([english.links[0], chinese.links[0]]).toEqual(['README.zh-CN.md', 'README.md']);
  });
});

describe('what README.md tells to write', () => {
  it.each(blocksIn('yaml'))('is valid configuration: %s', async (block) => {
    const file = join(temporaryFolder({ 'gateway.yaml': `version: 1\n${block}` }), 'gateway.yaml');
    const { config } = await loadConfig(file, { TICKETS_TOKEN: 'set-for-this-test' });
    expect(config.upstreams.length).toBeGreaterThan(0);
  });

  it('is a policy that does what the text says', async () => {
    const server = join(ROOT, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
    const [rego = ''] = blocksIn('rego');
    const gateway = await startGateway({
      yaml: `upstreams:\n  files: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(server)}, .], trustAnnotations: true }\n`,
      files: { 'policies/gateway.rego': rego },
    });
    try {
      mkdirSync(join(gateway.dir, 'notes'));
      const client = await legacyClient(gateway.url);
      const call = (name: string, path: string) =>
        client.callTool({ name: `files__${name}`, arguments: { path, content: 'text' } }) as Promise<{
          isError?: boolean;
          content: { text: string }[];
        }>;

      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['files__read_text_file', 'files__write_file']));
      expect(names).not.toContain('files__move_file');
      expect((await call('write_file', 'notes/today.md')).isError).toBeUndefined();
      for (const path of ['today.md', 'notes/../today.md']) {
        expect(await call('write_file', path)).toMatchObject({
          isError: true,
          content: [{ text: 'Files may be written below notes/ only.' }],
        });
      }
      await expect(call('move_file', 'notes/today.md')).rejects.toThrow('Unknown tool');
      await client.close();
    } finally {
      await gateway.stop();
    }
  }, 60_000);
});
