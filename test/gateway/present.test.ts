/** An upstream's answer in the caller's terms: eras, URIs, and bytes that nobody touched. */
import { describe, expect, it } from 'vitest';
import { buildCatalog, type Source } from '../../src/catalog/catalog.ts';
import type { Attempt } from '../../src/gateway/attempt.ts';
import { present } from '../../src/gateway/present.ts';
import type { Era } from '../../src/model.ts';
import { sliceMessage } from '../../src/protocol/slices.ts';

const source = (id: string, uris: string[]): Source => ({
  id,
  prefix: id,
  uris: [],
  trustAnnotations: false,
  tools: { allow: ['*'], deny: [], rename: {}, describe: {}, annotations: {} },
  lists: {
    tool: [{ name: 't' }],
    prompt: [],
    template: [],
    resource: uris.map((uri) => ({ uri, name: uri })),
  },
});

const catalog = buildCatalog(
  [source('a', ['doc://1']), source('b', ['doc://1', 'doc://2'])],
  { separator: '__', maxLength: 64 },
  new Map(),
);

function answer(upstream: 'a' | 'b', era: Era, method: string, message: string) {
  const entry = catalog.byName('tool', `${upstream}__t`)!;
  const attempt = { snapshot: { catalog }, call: { era, method } } as unknown as Attempt;
  const { value, ...rest } = present(attempt, entry, sliceMessage(Buffer.from(message))!);
  return { ...rest, text: value.toString() };
}

const result = (text: string): string => `{"jsonrpc":"2.0","id":9,"result":${text}}`;

describe('a result nobody has to read', () => {
  it.each([
    ['{"content":[]}'],
    ['{ "content" : [ {"type":"new-kind","x":9007199254740993} ],\n "unknown": 1.0, "_meta": {"a/b": -0} }'],
    ['{}'],
  ])('%s arrives byte by byte in the legacy era', (text) => {
    expect(answer('a', 'legacy', 'tools/call', result(text))).toMatchObject({
      member: 'result',
      text,
      outcome: 'ok',
      status: 200,
    });
  });

  it('gains resultType in the modern era, and nothing else', () => {
    expect(answer('a', 'modern', 'tools/call', result('{ "content":[1.0] }')).text).toBe(
      '{"resultType":"complete", "content":[1.0] }',
    );
    expect(answer('a', 'modern', 'tools/call', result('{}')).text).toBe('{"resultType":"complete"}');
    expect(answer('a', 'modern', 'tools/call', result('{"resultType":"complete"}')).text).toBe(
      '{"resultType":"complete"}',
    );
  });

  it('is never cacheable by others, whatever the server says', () => {
    const text = answer(
      'a',
      'modern',
      'resources/read',
      result('{"cacheScope":"public","contents":[],"ttlMs":60000}'),
    ).text;
    expect(JSON.parse(text)).toEqual({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      contents: [],
    });
  });

  it('loses the members of the modern era for a legacy client', () => {
    expect(
      answer('a', 'legacy', 'tools/call', result('{"resultType":"complete","content":[1e400],"ttlMs":5}'))
        .text,
    ).toBe('{"content":[1e400]}');
  });
});

describe('the outcome', () => {
  it.each([
    ['{"content":[],"isError":true}', 'tool_error'],
    ['{"content":[],"isError":false}', 'ok'],
    ['{"content":[{"isError":true}]}', 'ok'],
    ['{"resultType":"input_required","inputRequests":{}}', 'input_required'],
    ['{"resultType":"task","taskId":"1"}', 'task_started'],
  ])('%s is %s', (text, outcome) => {
    expect(answer('a', 'modern', 'tools/call', result(text)).outcome).toBe(outcome);
  });

  it('of a kind that the client cannot take is an error of the upstream', () => {
    expect(() => answer('a', 'legacy', 'tools/call', result('{"resultType":"input_required"}'))).toThrow(
      /cannot take/,
    );
    expect(() => answer('a', 'modern', 'tools/call', result('{"resultType":"novel"}'))).toThrow(
      /cannot take/,
    );
  });
});

describe('URIs', () => {
  const link = (uri: string): string =>
    result(
      JSON.stringify({
        content: [
          { type: 'resource_link', uri, name: 'x', extra: 1 },
          { type: 'resource', resource: { uri, text: 'x' } },
          { type: 'text', text: uri },
        ],
      }),
    );

  it('stay for the owner and are mapped for the other', () => {
    const uris = (text: string) =>
      JSON.parse(text).content.map((block: any) => block.uri ?? block.resource?.uri ?? block.text);
    expect(uris(answer('a', 'legacy', 'tools/call', link('doc://1')).text)).toEqual([
      'doc://1',
      'doc://1',
      'doc://1',
    ]);
    expect(uris(answer('b', 'legacy', 'tools/call', link('doc://1')).text)).toEqual([
      'b+doc://1',
      'b+doc://1',
      'doc://1',
    ]);
    expect(uris(answer('b', 'legacy', 'tools/call', link('doc://2')).text)).toEqual([
      'doc://2',
      'doc://2',
      'doc://2',
    ]);
    expect(uris(answer('a', 'legacy', 'tools/call', link('doc://unlisted')).text)).toEqual([
      'a+doc://unlisted',
      'a+doc://unlisted',
      'doc://unlisted',
    ]);
  });

  it('are mapped in contents, messages and _meta.ui, with numbers kept', () => {
    const read = answer(
      'b',
      'legacy',
      'resources/read',
      result('{"contents":[{"uri":"doc://1","text":"x"}],"n":9007199254740993}'),
    ).text;
    expect(read).toBe('{"contents":[{"uri":"b+doc://1","text":"x"}],"n":9007199254740993}');
    const prompt = answer(
      'b',
      'legacy',
      'prompts/get',
      result('{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"doc://1"}}}]}'),
    ).text;
    expect(JSON.parse(prompt).messages[0].content.resource.uri).toBe('b+doc://1');
    const app = answer(
      'b',
      'legacy',
      'tools/call',
      result('{"content":[],"_meta":{"ui":{"resourceUri":"ui://view"}}}'),
    ).text;
    expect(JSON.parse(app)._meta.ui.resourceUri).toBe('ui://b/view');
  });
});

describe('an error', () => {
  const error = '{"code":-32002,"message":"gone","data":{"big":9007199254740993}}';
  it('passes as it is', () => {
    expect(
      answer('a', 'legacy', 'resources/read', `{"jsonrpc":"2.0","id":1,"error":${error}}`),
    ).toMatchObject({ member: 'error', text: error, outcome: 'upstream_error' });
  });
  it('has the number of the modern era there', () => {
    expect(answer('a', 'modern', 'resources/read', `{"jsonrpc":"2.0","id":1,"error":${error}}`).text).toBe(
      error.replace('-32002', '-32602'),
    );
  });
});
