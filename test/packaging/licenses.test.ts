/** THIRD_PARTY_LICENSES.md is in step with what is locked; `npm run licenses -- --check` compares all of it, but needs Go. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../e2e/kit.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const rows = [...read('THIRD_PARTY_LICENSES.md').matchAll(/^\| (\S.*?) \| (\S*) ?\| (.+) \|$/gm)]
  .map(([, name = '', version = '', license = '']) => ({ name, version, license }))
  .filter(({ name }) => !/^(Part|---)$/.test(name));
const isGo = ({ name }: { name: string }): boolean => /^[\w-]+(\.[\w-]+)+\//.test(name);

it('names every npm package of production, in its version', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version: string; dev?: boolean }>;
  };
  const locked = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)} ${version}`);
  const listed = rows
    .filter((row) => !isGo(row) && row.version !== '')
    .map(({ name, version }) => `${name} ${version}`);
  expect(listed.toSorted()).toEqual(locked.toSorted());
});

it('names Go modules in the versions of go.mod', () => {
  const required = read('tools/rego/go.mod');
  const modules = rows.filter(isGo);
  expect(modules.length).toBeGreaterThan(10);
  for (const { name, version } of modules) expect(required).toContain(`${name} ${version}`);
});

it('holds only licenses that permit what we do', () => {
  const allowed = new Set(['Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']);
  const refused = rows.filter(({ license }) => license.split(' and ').some((each) => !allowed.has(each)));
  expect(refused).toEqual([]);
});
