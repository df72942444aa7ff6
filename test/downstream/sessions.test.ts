import { expect, it } from 'vitest';
import { createSessions } from '../../src/downstream/sessions.ts';
import type { Principal } from '../../src/model.ts';

const principal = (key: string): Principal => ({
  id: key,
  kind: 'api-key',
  roles: [],
  groups: [],
  scopes: [],
  claims: {},
  key,
});
const client = { protocolVersion: '2025-11-25' };

it('belongs to the principal that opened it', () => {
  const sessions = createSessions(10, 60_000);
  const { id } = sessions.open(principal('a'), client, {});
  expect(sessions.find(id, principal('a'))?.id).toBe(id);
  expect(sessions.find(id, principal('b'))).toBeUndefined();
});

it('ends what is open when it ends', () => {
  const sessions = createSessions(10, 60_000);
  const session = sessions.open(principal('a'), client, {});
  const call = new AbortController();
  let ended = 0;
  session.running.set(1, call);
  session.endStream = () => void ended++;
  sessions.end(session);
  expect([call.signal.aborted, ended, sessions.count()]).toEqual([true, 1, 0]);
});

it('makes room at the cap by ending the one that was idle longest', () => {
  const sessions = createSessions(2, 60_000);
  const [first, second] = [
    sessions.open(principal('a'), client, {}),
    sessions.open(principal('a'), client, {}),
  ];
  sessions.find(first.id, principal('a'));
  sessions.open(principal('a'), client, {});
  expect(sessions.find(second.id, principal('a'))).toBeUndefined();
  expect(sessions.find(first.id, principal('a'))).toBeDefined();
  for (let i = 0; i < 2_000; i++) sessions.open(principal('a'), client, {});
  expect(sessions.count()).toBe(2);
});
