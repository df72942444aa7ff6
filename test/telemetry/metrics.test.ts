import { spawnSync } from 'node:child_process';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts';

const METHODS = ['tools/call', 'tools/list'];
const create = (): Metrics => createMetrics({ version: '0.1.0', methods: METHODS });

/** The value of one series, written as Prometheus does. */
async function valueOf(metrics: Metrics, series: string): Promise<number | undefined> {
  const line = (await metrics.text()).split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

function useAll(metrics: Metrics): void {
  metrics.operation({ method: 'tools/call', upstream: 'files', outcome: 'ok' }, 0.003);
  metrics.clientOperation({ method: 'tools/call', upstream: 'files', outcome: 'ok' }, 0.002);
  metrics.toolCall('files', 'read_file', false);
  metrics.policyDecision('deny', 0.0002);
  metrics.rateLimited('per-user');
  metrics.httpRequest(404);
  metrics.configReload('failed');
  metrics.upstreamUp('files', true);
  metrics.upstreamRestart('files');
  metrics.droppedMessage('files', 'noise');
  metrics.catalogEntries('files', 'tool', 14);
  metrics.auditQueue('file', () => 7);
  metrics.auditRecords('file', 'dropped', 3);
  metrics.gauges({ sessions: () => 5, streams: () => 6 });
}

describe('createMetrics', () => {
  it('exposes every metric with its labels', async () => {
    const metrics = create();
    useAll(metrics);
    const expected: Record<string, number> = {
      'mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call",gatehouse_upstream="files",gatehouse_outcome="ok"}': 1,
      'mcp_client_operation_duration_seconds_count{mcp_method_name="tools/call",gatehouse_upstream="files",gatehouse_outcome="ok"}': 1,
      'gatehouse_tool_calls_total{gatehouse_upstream="files",gen_ai_tool_name="read_file"}': 1,
      'gatehouse_tool_errors_total{gatehouse_upstream="files",gen_ai_tool_name="read_file"}': 1,
      'gatehouse_policy_decisions_total{decision="deny"}': 1,
      'gatehouse_policy_decisions_total{decision="allow"}': 0,
      'gatehouse_policy_decision_duration_seconds_bucket{le="0.00025"}': 1,
      'gatehouse_policy_decision_duration_seconds_bucket{le="0.0001"}': 0,
      'gatehouse_rate_limited_total{rule="per-user"}': 1,
      'gatehouse_http_requests_total{code="4xx"}': 1,
      'gatehouse_config_reloads_total{result="failed"}': 1,
      'gatehouse_upstream_up{upstream="files"}': 1,
      'gatehouse_upstream_restarts_total{upstream="files"}': 1,
      'gatehouse_dropped_messages_total{upstream="files",reason="noise"}': 1,
      'gatehouse_catalog_entries{upstream="files",kind="tool"}': 14,
      'gatehouse_audit_queue{sink="file"}': 7,
      'gatehouse_audit_records_total{sink="file",result="dropped"}': 3,
      'gatehouse_audit_records_total{sink="file",result="written"}': 0,
      gatehouse_sessions: 5,
      gatehouse_streams: 6,
      [`gatehouse_build_info{version="0.1.0",node="${process.version}"}`]: 1,
    };
    for (const [series, value] of Object.entries(expected))
      expect([series, await valueOf(metrics, series)]).toEqual([series, value]);
  });

  it('counts each duration in every bucket from its own up', async () => {
    const metrics = create();
    const labels = 'mcp_method_name="tools/list",gatehouse_upstream="",gatehouse_outcome="ok"';
    for (const seconds of [0.0005, 0.003, 0.7, 1_000])
      metrics.operation({ method: 'tools/list', outcome: 'ok' }, seconds);
    const bucket = (le: string) =>
      valueOf(metrics, `mcp_server_operation_duration_seconds_bucket{${labels},le="${le}"}`);
    expect(await Promise.all(['0.0005', '0.0025', '0.005', '0.5', '1', '300', '+Inf'].map(bucket))).toEqual([
      1, 1, 2, 2, 3, 3, 4,
    ]);
    expect(await valueOf(metrics, `mcp_server_operation_duration_seconds_sum{${labels}}`)).toBeCloseTo(
      1_000.7035,
    );
  });

  it('makes no series of invented methods', async () => {
    const metrics = create();
    for (let i = 0; i < 10_000; i++)
      metrics.operation({ method: `invented/${i}`, outcome: 'invalid' }, 0.001);
    const text = await metrics.text();
    expect(text).not.toContain('invented');
    expect(text.match(/mcp_server_operation_duration_seconds_count/g)).toHaveLength(1);
    expect(text).toContain(
      'mcp_server_operation_duration_seconds_count{mcp_method_name="other",gatehouse_upstream="",gatehouse_outcome="invalid"} 10000',
    );
  });

  it('tells 500 tools apart and counts the rest together', async () => {
    const metrics = create();
    for (let i = 0; i < 2_000; i++) metrics.toolCall('files', `tool_${i}`, true);
    metrics.toolCall('files', 'tool_0', true);
    const series = (tool: string): string =>
      `gatehouse_tool_calls_total{gatehouse_upstream="files",gen_ai_tool_name="${tool}"}`;
    expect((await metrics.text()).match(/^gatehouse_tool_calls_total\{/gm)).toHaveLength(501);
    expect(await valueOf(metrics, series('tool_0'))).toBe(2);
    expect(await valueOf(metrics, series('other'))).toBe(1_500);
  });

  it('forgets the gauges of an upstream that left', async () => {
    const metrics = create();
    useAll(metrics);
    metrics.forget('files');
    expect(await valueOf(metrics, 'gatehouse_upstream_up{upstream="files"}')).toBeUndefined();
    expect(await valueOf(metrics, 'gatehouse_catalog_entries{upstream="files",kind="tool"}')).toBeUndefined();
    expect(await valueOf(metrics, 'gatehouse_upstream_restarts_total{upstream="files"}')).toBe(1);
  });

  it('writes a tool name as one label value, whatever it holds', async () => {
    const metrics = create();
    metrics.toolCall('files', 'a"} 1\nforged_total 1\\', true);
    expect(await metrics.text()).not.toMatch(/^forged/m);
  });

  it('uses the registry it is given', async () => {
    const registry = new Registry();
    createMetrics({ version: '1', methods: [], registry });
    expect(await registry.metrics()).toContain('gatehouse_build_info');
  });

  it('satisfies promtool', async (context) => {
    if (spawnSync('promtool', ['--version']).error) context.skip('promtool is not on the path');
    const metrics = create();
    useAll(metrics);
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: await metrics.text(),
      encoding: 'utf8',
    });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
  });
});
