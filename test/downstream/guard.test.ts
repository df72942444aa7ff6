import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { createGuard } from '../../src/downstream/guard.ts';

const guard = createGuard(['gw.example', 'localhost', '[::1]'], ['https://app.example']);
const check = (host: string | undefined, origin?: string, rawHeaders: string[] = []): void =>
  guard.check({ headers: { host, origin }, rawHeaders } as unknown as IncomingMessage);

it.each(['gw.example', 'GW.EXAMPLE', 'gw.example:443', 'localhost:1', '[::1]', '[::1]:80'])(
  'serves %s',
  (host) => {
    expect(() => check(host)).not.toThrow();
  },
);

it.each([
  undefined,
  '',
  'gw.example.',
  'gw.example.evil',
  'evil-gw.example',
  'gw.example:80:80',
  'a@gw.example',
  '[::2]',
  'gw.example/x',
  'gw.example:port',
])('refuses %j', (host) => {
  expect(() => check(host)).toThrow(/Host header/);
});

it('refuses two Host headers', () => {
  expect(() =>
    check('gw.example', undefined, ['Host', 'gw.example', 'X', 'y', 'hOST', 'gw.example']),
  ).toThrow(/Host header/);
});

it.each(['https://app.example', 'http://gw.example', 'https://localhost:6274'])(
  'takes the origin %s',
  (origin) => {
    expect(() => check('gw.example', origin)).not.toThrow();
  },
);

it.each([
  'https://app.example.evil',
  'http://app.example',
  'null',
  'ftp://gw.example',
  'file://',
  'https://evil.example',
])('refuses the origin %s', (origin) => {
  expect(() => check('gw.example', origin)).toThrow(/origin/);
});
