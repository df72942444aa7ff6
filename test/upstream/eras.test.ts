import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rememberEras } from '../../src/upstream/eras.ts';

const DAY = 24 * 3_600_000;

function stateDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-eras-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

it('remembers over a restart, for a week', () => {
  const dir = stateDir();
  let now = 1_000_000;
  rememberEras(dir, () => now).set('files', 'legacy');
  now += 7 * DAY - 1;
  expect(rememberEras(dir, () => now).get('files')).toBe('legacy');
  now += 1;
  expect(rememberEras(dir, () => now).get('files')).toBeUndefined();
});

it('starts the week anew when the server is seen again after it', () => {
  const dir = stateDir();
  let now = 1_000_000;
  const eras = rememberEras(dir, () => now);
  eras.set('files', 'legacy');
  now += 8 * DAY;
  eras.set('files', 'legacy');
  expect(eras.get('files')).toBe('legacy');
  expect(rememberEras(dir, () => now).get('files')).toBe('legacy');
});

it('writes only what has changed', () => {
  const dir = stateDir();
  const eras = rememberEras(dir);
  eras.set('files', 'modern');
  rmSync(join(dir, 'eras.json'));
  eras.set('files', 'modern');
  expect(() => readFileSync(join(dir, 'eras.json'))).toThrow('ENOENT');
  eras.set('files', 'legacy');
  expect(rememberEras(dir).get('files')).toBe('legacy');
});

it.each([
  '',
  'null',
  '[]',
  '{"files":null}',
  '{"files":{"era":"future","at":1}}',
  '{"files":{"era":"legacy"}}',
])('knows nothing from the file %j', (text) => {
  const dir = stateDir();
  writeFileSync(join(dir, 'eras.json'), text);
  expect(rememberEras(dir).get('files')).toBeUndefined();
});

it('does without a folder that it can write', () => {
  const eras = rememberEras(join(stateDir(), 'missing'));
  eras.set('files', 'legacy');
  expect(eras.get('files')).toBe('legacy');
});
