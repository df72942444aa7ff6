/** What became of audit records. */
import { Counter, Gauge, type Registry } from 'prom-client';

export interface AuditMetrics {
  auditRecords(sink: string, result: 'written' | 'dropped', count: number): void;
  /** Reads the length of a sink's queue whenever metrics are asked for. */
  auditQueue(sink: string, read: () => number): void;
}

export function auditMetrics(registry: Registry): AuditMetrics {
  const registers = [registry];
  const records = new Counter({
    name: 'gatehouse_audit_records_total',
    help: 'Audit records, by what became of them.',
    labelNames: ['sink', 'result'],
    registers,
  });
  const queues = new Map<string, () => number>();
  const queue: Gauge<'sink'> = new Gauge({
    name: 'gatehouse_audit_queue',
    help: 'Audit records that wait to be written.',
    labelNames: ['sink'],
    registers,
    collect() {
      for (const [sink, read] of queues) queue.set({ sink }, read());
    },
  });
  return {
    auditRecords: (sink, result, count) => records.inc({ sink, result }, count),
    auditQueue(sink, read) {
      queues.set(sink, read);
      for (const result of ['written', 'dropped']) records.inc({ sink, result }, 0);
    },
  };
}
