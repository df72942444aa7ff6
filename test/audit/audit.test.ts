import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createAudit, type Audit, type AuditRecord } from '../../src/audit/audit.ts';
import type { AuditEvent } from '../../src/audit/event.ts';
import type { ArgumentsRule } from '../../src/audit/mask.ts';
import type { AuditFacts } from '../../src/audit/record.ts';
import { GatewayError } from '../../src/errors.ts';
import type { Decision, JsonObject, Target } from '../../src/model.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createScrubber } from '../../src/telemetry/scrub.ts';

const root = mkdtempSync(join(tmpdir(), 'audit-'));
afterAll(() => rmSync(root, { recursive: true }));
let files = 0;

const HELD = 'held-by-the-gateway';
const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

function setUp(more: { rule?: ArgumentsRule; queue?: number; path?: string } = {}) {
  const path = more.path ?? join(root, `${files++}.jsonl`);
  const faults: string[] = [];
  const metrics = createMetrics({ version: '0', methods: [] });
  const audit = createAudit({
    sinks: [{ type: 'file', path }],
    arguments: more.rule ?? 'masked',
    queue: more.queue ?? 1_000,
    scrub: createScrubber([HELD]),
    metrics,
    log: { info: () => {}, error: (_fields, message) => void faults.push(message) },
    now: () => START,
  });
  return { audit, path, faults, metrics };
}

const FACTS: AuditFacts = {
  requestId: 'r1',
  method: 'tools/call',
  principal: {
    id: 'alice',
    kind: 'api-key',
    tenant: 'acme',
    roles: ['dev'],
    groups: ['g'],
    scopes: [],
    claims: { email: 'a@example' },
    key: 'api-key:alice',
  },
  client: { name: 'host', version: '1.2', protocolVersion: '2025-11-25' },
  source: '127.0.0.1',
  era: 'legacy',
  profile: 'default',
};

const HINTS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const TARGET: Target = {
  upstream: 'files',
  kind: 'tool',
  name: 'read_file',
  digest: 'd',
  annotations: HINTS,
  claims: {},
};
const ALLOWED: Decision = { allow: true, reasons: [], tags: ['read'], mask: [] };

async function recorded(audit: Audit, path: string): Promise<AuditEvent[]> {
  await audit.flush();
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}

/** The one record that `fill` leaves behind. */
async function record(fill: (record: AuditRecord) => void, rule?: ArgumentsRule): Promise<AuditEvent> {
  const { audit, path } = setUp(rule ? { rule } : {});
  const open = audit.open(FACTS, 300);
  fill(open);
  open.close('ok', 1200);
  const events = await recorded(audit, path);
  await audit.close();
  expect(events).toHaveLength(1);
  return events[0]!;
}

describe('a record', () => {
  it('has every fact, and no key, claim or group of the caller', async () => {
    const event = await record((open) => {
      open.continues('r0');
      open.arguments({ path: '/a' });
      open.target(TARGET, 'files__read_file');
      open.decision(ALLOWED, '0123456789abcdef');
    });
    expect(event).toEqual({
      v: 1,
      kind: 'request',
      time: '2026-01-02T03:04:05.678Z',
      requestId: 'r1',
      continues: 'r0',
      principal: { id: 'alice', kind: 'api-key', tenant: 'acme', roles: ['dev'] },
      client: FACTS.client,
      source: '127.0.0.1',
      era: 'legacy',
      profile: 'default',
      method: 'tools/call',
      upstream: 'files',
      target: { kind: 'tool', name: 'read_file', exposed: 'files__read_file' },
      decision: { allow: true, reasons: [], policyVersion: '0123456789abcdef', tags: ['read'] },
      outcome: 'ok',
      durationMs: expect.any(Number),
      sizes: { request: 300, response: 1200 },
      arguments: { path: '/a' },
    });
  });

  it('has the same fields whatever the end', async () => {
    const fields = async (fill: (open: AuditRecord) => void) => Object.keys(await record(fill));
    const always = await fields(() => {});
    expect(await fields((open) => open.limit('per-user'))).toEqual(expect.arrayContaining(always));
    const { audit, path } = setUp();
    audit.invalid({
      requestId: 'r2',
      source: '::1',
      error: new GatewayError('parse_error', 'The body is not valid JSON.'),
    });
    const [invalid] = await recorded(audit, path);
    expect(Object.keys(invalid!)).toEqual(expect.arrayContaining(always));
    expect(invalid).toMatchObject({ outcome: 'invalid', principal: null, error: { code: 'parse_error' } });
  });

  it('names the error, and what the caller was not told', async () => {
    const event = await record((open) =>
      open.error(new GatewayError('denied', 'Not allowed.', { hidden: 'rule 7' })),
    );
    expect(event.error).toEqual({ code: 'denied', message: 'Not allowed.', hidden: 'rule 7' });
  });

  it('is written once: a second close is ignored and reported', async () => {
    const { audit, path, faults } = setUp();
    const open = audit.open(FACTS, 1);
    open.close('denied', 1);
    open.close('ok', 2);
    expect((await recorded(audit, path)).map(({ outcome }) => outcome)).toEqual(['denied']);
    expect(faults).toEqual([expect.stringContaining('closed twice')]);
  });

  it('stays on one line and steers no terminal, whatever is in it', async () => {
    const hostile = '"}\r\n{"v":1,"kind":"request"}\n\u001b[2J\u009b31m\u2028\u202e\0<script>';
    const { audit, path } = setUp({ rule: 'full' });
    const open = audit.open({ ...FACTS, method: hostile, client: { ...FACTS.client, name: hostile } }, 1);
    open.arguments({ [hostile]: hostile });
    open.target({ ...TARGET, name: hostile });
    open.decision(ALLOWED, 'v');
    open.error(new GatewayError('upstream_error', hostile));
    open.close('upstream_error', 1);
    const [event, ...more] = await recorded(audit, path);
    expect(more).toEqual([]);
    // oxlint-disable-next-line no-control-regex -- the subject of the test
    expect(readFileSync(path, 'utf8')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]/);
    expect(event).toMatchObject({
      method: hostile,
      target: { name: hostile },
      arguments: { [hostile]: hostile },
    });
  });

  it('holds no secret of the gateway, wherever it turns up', async () => {
    const encoded = Buffer.from(HELD).toString('base64');
    const event = await record((open) => {
      open.arguments({ note: `it is ${HELD}`, header: `Basic ${encoded}` });
      open.target({ ...TARGET, name: `file:///a?token=${HELD}` });
      open.decision({ ...ALLOWED, reasons: [HELD] }, 'v');
      open.error(new GatewayError('upstream_error', HELD, { hidden: HELD }));
    }, 'full');
    const text = JSON.stringify(event);
    expect(text).not.toContain(HELD);
    expect(text).not.toContain(encoded);
    expect(text).toContain('it is [secret]');
  });
});

describe('arguments', () => {
  const given: JsonObject = { path: '/a', password: 'x', ssn: 'y' };
  const filled = (decision?: Decision) => (open: AuditRecord) => {
    open.arguments(given);
    if (decision) open.decision(decision, 'v');
  };

  it('are masked by name and by the policy, and the record says where', async () => {
    const event = await record(filled({ ...ALLOWED, mask: ['ssn'] }));
    expect(event).toMatchObject({
      arguments: { path: '/a', password: '[masked]', ssn: '[masked]' },
      masked: ['password', 'ssn'],
    });
  });

  it('obey the policy under the rule full too', async () => {
    expect(await record(filled({ ...ALLOWED, mask: ['ssn'] }), 'full')).toMatchObject({
      arguments: { password: 'x', ssn: '[masked]' },
      masked: ['ssn'],
    });
  });

  it.each<[string, Decision | undefined]>([
    ['there was no decision', undefined],
    ['the policy failed', { ...ALLOWED, allow: false, failed: true }],
  ])('are names only while %s: nobody said what to mask', async (_when, decision) => {
    for (const rule of ['masked', 'full'] as const)
      expect((await record(filled(decision), rule)).arguments).toEqual({
        path: 'string',
        password: 'string',
        ssn: 'string',
      });
  });

  it('are left out under the rule none', async () => {
    expect(await record(filled(ALLOWED), 'none')).not.toHaveProperty('arguments');
  });
});

describe('sinks', () => {
  it('each get every record, under names of their own', async () => {
    const paths = [join(root, 'a.jsonl'), join(root, 'b.jsonl')];
    const { metrics } = setUp();
    const audit = createAudit({
      sinks: paths.map((path) => ({ type: 'file', path })),
      arguments: 'none',
      queue: 10,
      scrub: createScrubber(),
      metrics,
      log: { info: () => {}, error: () => {} },
    });
    audit.open(FACTS, 1).close('ok', 1);
    await audit.close();
    expect(readFileSync(paths[0]!, 'utf8')).toBe(readFileSync(paths[1]!, 'utf8'));
    expect(audit.status().map(({ sink, path }) => [sink, path])).toEqual([
      ['file', paths[0]],
      ['file-2', paths[1]],
    ]);
  });

  it('that fail do not hold up calls: losses are counted, recorded and visible, and it heals', async () => {
    const folder = join(root, 'in-the-way');
    writeFileSync(folder, 'a file where the folder should be');
    const path = join(folder, 'audit.jsonl');
    const { audit, metrics, faults } = setUp({ queue: 3, path });
    for (let i = 0; i < 10; i++) audit.open({ ...FACTS, requestId: `r${i}` }, 1).close('ok', 1);
    await audit.flush();
    expect(audit.status()).toEqual([
      { sink: 'file', path, queued: 3, dropped: 7, lastError: expect.stringMatching(/ENOTDIR|EEXIST/) },
    ]);
    expect(faults).toHaveLength(1);
    rmSync(folder);
    const events = await recorded(audit, path);
    expect(events.map((event) => event.requestId ?? event)).toEqual([
      'r0',
      'r1',
      'r2',
      { v: 1, kind: 'dropped', time: expect.any(String), sink: 'file', count: 7 },
    ]);
    expect(await metrics.text()).toContain('gatehouse_audit_records_total{sink="file",result="dropped"} 7');
    await audit.close();
  });
});
