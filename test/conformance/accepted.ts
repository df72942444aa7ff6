/**
 * The known differences between direct and through the gateway, each with its reason. A line that is none any more fails
 * the run. A reason begins with "By design" where no gateway could do better, else with "Not in this version".
 */
import type { Accepted, Way } from './compare.ts';
import type { SuiteId } from './suites.ts';

const EVERY_WAY: readonly Way[] = ['http legacy', 'http both', 'stdio legacy', 'stdio modern'];
/** Ways on which the server behind the gateway speaks the older era only. */
const TO_LEGACY: readonly Way[] = ['http legacy', 'stdio legacy'];
const LEGACY_SUITES: readonly SuiteId[] = ['0.1.16', '2025-11-25'];
const MODERN_SUITE: readonly SuiteId[] = ['2026-07-28'];

const ROOTS = 'By design: the roots of a caller are not offered to a server';

export const ACCEPTED: readonly Accepted[] = [
  {
    suites: LEGACY_SUITES,
    ways: EVERY_WAY,
    scenario: 'server-sse-multiple-streams',
    checks: ['server-sse-streams-functional'],
    reason: 'By design: an answer with nothing before it is JSON, and the check is of event streams only',
  },
  {
    suites: ['2025-11-25'],
    ways: EVERY_WAY,
    scenario: 'server-sse-polling',
    checks: ['server-sse-priming-event', 'server-sse-retry-field', 'server-sse-disconnect-resume'],
    reason: 'Not in this version: streams towards clients have no event ids and cannot be taken up again',
  },
  {
    suites: LEGACY_SUITES,
    ways: ['stdio modern'],
    scenario: 'tools-call-with-logging',
    checks: ['tools-call-with-logging'],
    reason:
      'Not in this version: over stdio a log message does not say whose request it belongs to, and nothing else is looked at',
  },
  {
    suites: MODERN_SUITE,
    ways: TO_LEGACY,
    scenario: 'server-stateless',
    checks: ['sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400'],
    reason:
      'By design: a server of the older era says in a tool result that it cannot ask, and that is passed on',
  },
  {
    suites: MODERN_SUITE,
    ways: TO_LEGACY,
    scenario: 'input-required-result-basic-elicitation',
    checks: ['sep-2322-elicitation-incomplete', 'sep-2322-elicitation-complete'],
    reason:
      'By design: a question of the older era has no key, so the gateway gives it one; the suite wants user_name',
  },
  {
    suites: MODERN_SUITE,
    ways: TO_LEGACY,
    scenario: 'input-required-result-basic-list-roots',
    checks: ['sep-2322-list-roots-incomplete', 'sep-2322-list-roots-complete'],
    reason: ROOTS,
  },
  {
    suites: MODERN_SUITE,
    ways: TO_LEGACY,
    scenario: 'input-required-result-multiple-input-requests',
    checks: ['sep-2322-multiple-inputs-incomplete', 'sep-2322-multiple-inputs-complete'],
    reason: ROOTS,
  },
];
