/** What the start says: where the host points to, what stands behind it, and where to look. */
import type { Config } from '../config/config.ts';
import type { Gateway, UpstreamReport } from '../gateway/gateway.ts';
import type { Log } from '../telemetry/log.ts';

/** The banner waits this long for slow upstreams; what comes later is told line by line. */
const PATIENCE = 10_000;

export interface BannerFacts {
  readonly config: Config;
  readonly gateway: Gateway;
  readonly log: Log;
  /** The MCP endpoint. */
  readonly url: string;
  readonly adminUrl: string;
}

function banner({ config, gateway, url, adminUrl }: BannerFacts): string {
  const { policy } = gateway.snapshot();
  const reports = gateway.status();
  const width = Math.max(...reports.map(({ id }) => id.length), 0);
  const sinks = config.audit.sinks.map((sink) => (sink.type === 'file' ? sink.path : sink.type)).join(', ');
  const callers = config.auth
    ? `${config.auth.apiKeys.length} API key(s)`
    : 'anyone on this machine (no auth configured)';
  const lines = [
    '',
    `Gatehouse is serving ${url}`,
    '',
    'Upstreams',
    ...(reports.length === 0
      ? ['  none configured']
      : reports.map((report) => `  ${report.id.padEnd(width)}  ${upstreamLine(report)}`)),
    '',
    `Policies  ${policy.mode === 'off' ? 'OFF: every call is allowed' : `${policy.files} file(s) from ${config.policy.paths.join(', ')}, version ${policy.version}`}`,
    `Callers   ${callers}`,
    `Audit     ${sinks || 'none'}`,
    `Metrics   ${adminUrl}/metrics   Status ${adminUrl}/status`,
    '',
    'Point a host at it:',
    hostSnippet(url, config.auth !== undefined),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function upstreamLine({ state, reason, entries }: UpstreamReport): string {
  if (state === 'starting') return 'still starting';
  if (state !== 'up') return `${state}: ${reason ?? 'no reason given'}`;
  const others = [
    count(entries.prompt, 'prompt'),
    count(entries.resource + entries.template, 'resource'),
  ].filter((part) => !part.startsWith('0 '));
  return [count(entries.tool, 'tool'), ...others].join(', ');
}

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;

function hostSnippet(url: string, withKey: boolean): string {
  const entry = withKey
    ? { type: 'http', url, headers: { Authorization: 'Bearer YOUR_KEY' } }
    : { type: 'http', url };
  return JSON.stringify({ mcpServers: { gatehouse: entry } }, null, 2);
}

/** Shows the banner when all upstreams were tried or patience ends; tells each change before and after. */
export function progress(facts: BannerFacts, show: (text: string) => void): void {
  const { gateway, log } = facts;
  gateway.onStateChanged(({ id, state }) => {
    if (state === 'up') log.info({ upstream: id }, 'upstream is up');
  });
  const started = performance.now();
  const timer = setInterval(() => {
    if (!gateway.ready() && performance.now() - started < PATIENCE) return;
    clearInterval(timer);
    show(banner(facts));
  }, 50);
  timer.unref();
}
