import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../e2e/kit.ts';
import { ACCEPTED } from './accepted.ts';
import { differences, judge, lineOf, linesOf, type Accepted, type Difference } from './compare.ts';
import { readResults, type Results, type Status } from './suites.ts';

const results = (scenarios: Record<string, Record<string, Status>>): Results =>
  new Map(Object.entries(scenarios).map(([name, checks]) => [name, new Map(Object.entries(checks))]));

const DIRECT = results({ ping: { a: 'SUCCESS', b: 'WARNING' }, tools: { c: 'SUCCESS', d: 'SUCCESS' } });

describe('differences', () => {
  it('are the checks that pass directly and not through', () => {
    const through = results({ ping: { a: 'SUCCESS', b: 'FAILURE' }, tools: { c: 'WARNING' } });
    const found = differences('0.1.16', 'http legacy', DIRECT, through);
    expect(found.map(({ check, through: status }) => [check, status])).toEqual([
      ['c', 'WARNING'],
      ['d', 'MISSING'],
    ]);
  });

  it('are all of a scenario that did not run', () => {
    expect(differences('0.1.16', 'http legacy', DIRECT, results({}))).toHaveLength(3);
  });
});

const FOUND: Difference = {
  suite: '0.1.16',
  way: 'http legacy',
  scenario: 'tools',
  check: 'c',
  through: 'FAILURE',
};
const entry = (checks: readonly string[], suites: Accepted['suites'] = ['0.1.16']): Accepted => ({
  suites,
  ways: ['http legacy'],
  scenario: 'tools',
  checks,
  reason: 'known',
});
const everything = (): boolean => true;

describe('the verdict', () => {
  it('is clean when each difference is accepted and each line is one', () => {
    expect(judge([FOUND], [entry(['c'])], everything)).toEqual({ unexpected: [], stale: [] });
  });

  it('names a difference that nobody accepted', () => {
    expect(judge([FOUND], [], everything).unexpected).toEqual([FOUND]);
  });

  it('names a line that is no difference any more', () => {
    const { stale, unexpected } = judge([FOUND], [entry(['c', 'd'])], everything);
    expect(unexpected).toEqual([]);
    expect(stale).toEqual([lineOf({ ...FOUND, check: 'd' })]);
  });

  it('leaves lines alone that the run could not have found', () => {
    const accepted = [entry(['c'], ['0.1.16', '2026-07-28'])];
    expect(judge([FOUND], accepted, (suite) => suite === '0.1.16').stale).toEqual([]);
    expect(judge([FOUND], accepted, everything).stale).toHaveLength(1);
  });
});

it('a check that was made more than once counts as its worst', () => {
  const check = (id: string, status: string): object => ({ id, status });
  const checks = [check('a', 'FAILURE'), check('a', 'SUCCESS'), check('b', 'INFO'), check('b', 'SUCCESS')];
  const dir = temporaryFolder({ 'server-ping-2026-12-01T03-57-58-999Z/checks.json': JSON.stringify(checks) });
  expect(readResults(dir)).toEqual(results({ ping: { a: 'FAILURE', b: 'SUCCESS' } }));
});

it('no difference is accepted twice', () => {
  const lines = ACCEPTED.flatMap(linesOf);
  expect(lines).toEqual([...new Set(lines)]);
});
