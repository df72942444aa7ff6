import { expect, it } from 'vitest';
import { childEnv } from '../../src/upstream/child-env.ts';

const OURS = {
  PATH: '/bin',
  HOME: '/home/op',
  LANG: 'C',
  SECRET_TOKEN: 's',
  HTTPS_PROXY: 'http://p',
  UV_CACHE: 'u',
  UV_INDEX: 'i',
  path: 'not PATH',
  EMPTY: undefined,
};

it('is the minimal base and nothing else of ours', () => {
  expect(childEnv(OURS, [], {})).toEqual({ PATH: '/bin', HOME: '/home/op', LANG: 'C' });
});

it('has what the operator adds, before all', () => {
  expect(childEnv(OURS, [], { X: 'y', HOME: '/srv' })).toEqual({
    PATH: '/bin',
    HOME: '/srv',
    LANG: 'C',
    X: 'y',
  });
});

it('passes on names and globs, and what they do not name stays', () => {
  const passed = childEnv(OURS, ['HTTPS_PROXY', 'UV_*', '*CRET', 'SECRET', 'NOT_SET', 'EMPTY'], {});
  expect(Object.keys(passed).toSorted()).toEqual([
    'HOME',
    'HTTPS_PROXY',
    'LANG',
    'PATH',
    'UV_CACHE',
    'UV_INDEX',
  ]);
});
