/** What happens to requests before or instead of a call, and to the configuration. */
import type { Registry } from 'prom-client';
import { countFamily } from '../tally.ts';

export interface RequestMetrics {
  rateLimited(rule: string): void;
  httpRequest(status: number): void;
  configReload(result: 'ok' | 'failed'): void;
}

export function requestMetrics(registry: Registry): RequestMetrics {
  const of = (name: string, help: string, label: string) =>
    countFamily({ registry, name, help, labels: [label] });
  const limited = of('gatehouse_rate_limited_total', 'Requests refused by a rate limit.', 'rule');
  const http = of('gatehouse_http_requests_total', 'HTTP requests by class of status.', 'code');
  const reloads = of('gatehouse_config_reloads_total', 'Reloads of the configuration.', 'result');
  for (const result of ['ok', 'failed']) reloads.of(result);
  return {
    rateLimited: (rule) => void limited.of(rule).value++,
    httpRequest: (status) => void http.of(`${Math.floor(status / 100)}xx`).value++,
    configReload: (result) => void reloads.of(result).value++,
  };
}
