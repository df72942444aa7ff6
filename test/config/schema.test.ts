import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { expect, it, test } from 'vitest';
import { z } from 'zod';
import { jsonSchema, REFERENCE_FILE, referenceText, SCHEMA_FILE, schemaText } from '../../scripts/schema.ts';
import { loadConfig } from '../../src/config/load.ts';
import { load } from './kit.ts';

const SHIPPED = fileURLToPath(new URL('../../gateway.yaml', import.meta.url));

it('is in step with schema/gateway.schema.json', () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(schemaText());
});

it('is in step with docs/configuration.md', async () => {
  expect(readFileSync(REFERENCE_FILE, 'utf8')).toBe(await referenceText());
});

it('describes every key', () => {
  const bare: string[] = [];
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, child] of Object.entries((node as { properties?: object }).properties ?? {})) {
      if (typeof (child as { description?: unknown }).description !== 'string') bare.push(`${path}.${key}`);
    }
    for (const [key, child] of Object.entries(node)) visit(child, `${path}.${key}`);
  };
  visit(jsonSchema(), '');
  expect(bare).toEqual([]);
});

test('the shipped gateway.yaml loads without an environment, without warnings, on loopback', async () => {
  const { config, secrets } = await loadConfig(SHIPPED, {});
  expect(config.upstreams.map(({ id, transport }) => [id, transport])).toEqual([
    ['everything', 'stdio'],
    ['files', 'stdio'],
    ['memory', 'stdio'],
  ]);
  expect([config.listen.host, config.admin.host, config.policy.mode]).toEqual([
    '127.0.0.1',
    '127.0.0.1',
    'enforce',
  ]);
  expect([config.warnings, secrets]).toEqual([[], []]);
});

test('the examples in its comments load too', async () => {
  const text = readFileSync(SHIPPED, 'utf8')
    .replace(/^( *)# (?=(?: {2})*(?:tickets|auth|url|credentials|apiKeys|- \{ id)\b.*$)/gm, '$1')
    .replace('<64 hexadecimal digits>', 'a'.repeat(64))
    .replace('<64 hexadecimal digits>', 'b'.repeat(64));
  const { config, secrets } = await load(text, { TICKETS_TOKEN: 'tttt' });
  expect(config.upstreams.at(-1)).toMatchObject({ id: 'tickets', credentials: { value: 'Bearer tttt' } });
  expect(config.auth?.apiKeys.map(({ id }) => id)).toEqual(['alice', 'build']);
  expect(secrets).toContain('tttt');
});

test('an editor with the JSON Schema accepts the shipped file and references, and marks mistakes', () => {
  const editor = z.fromJSONSchema(jsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  const accepts = (text: string): boolean => editor.safeParse(parse(text)).success;
  expect(accepts(readFileSync(SHIPPED, 'utf8'))).toBe(true);
  expect(
    accepts('version: 1\nlisten: "${LISTEN}"\nupstreams: { a: { url: "${URL}", timeout: "${T:-3s}" } }'),
  ).toBe(true);
  expect(accepts('version: 1\nlimts: {}')).toBe(false);
  expect(accepts('version: 1\nupstreams: { a: { commandd: x } }')).toBe(false);
  expect(accepts('version: 1\nlimits: { body: 4MB }')).toBe(false);
});
