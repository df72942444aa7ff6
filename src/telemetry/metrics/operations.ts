/** How long requests take, on both sides of the gateway. */
import type { Registry } from 'prom-client';
import type { Outcome } from '../../model.ts';
import { distributionFamily } from '../tally.ts';

export interface OperationMetrics {
  /** One request of a client, answered. */
  operation(
    about: { readonly method: string; readonly upstream?: string | undefined; readonly outcome: Outcome },
    seconds: number,
  ): void;
  /** One request to an upstream, answered. `outcome` comes from a fixed set. */
  clientOperation(
    about: { readonly method: string; readonly upstream: string; readonly outcome: string },
    seconds: number,
  ): void;
}

/** Bounds of the OpenTelemetry conventions, with finer ones below: what the gateway itself adds is less than 10 ms. */
const SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
];
const LABELS = ['mcp_method_name', 'gatehouse_upstream', 'gatehouse_outcome'];
const SERVER = 'mcp_server_operation_duration_seconds';
const CLIENT = 'mcp_client_operation_duration_seconds';

/** A method outside `known` is counted as `other`. */
export function operationMetrics(registry: Registry, known: ReadonlySet<string>): OperationMetrics {
  const of = (name: string, help: string) =>
    distributionFamily({ registry, name, help, labels: LABELS }, SECONDS);
  const server = of(SERVER, 'Requests of clients, from arrival to answer.');
  const client = of(CLIENT, 'Requests to upstreams, from sending to answer.');
  const named = (method: string): string => (known.has(method) ? method : 'other');
  return {
    operation: ({ method, upstream, outcome }, seconds) =>
      server.of(named(method), upstream, outcome).observe(seconds),
    clientOperation: ({ method, upstream, outcome }, seconds) =>
      client.of(named(method), upstream, outcome).observe(seconds),
  };
}
