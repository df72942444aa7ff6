/** The audit: opens a record per request, and brings each closed one to every sink, serialized once. */
import type { Config } from '../config/config.ts';
import type { GatewayError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Scrubber } from '../telemetry/scrub.ts';
import { escapeUnseen } from '../telemetry/unseen.ts';
import type { AuditEvent } from './event.ts';
import { openSink, type SinkConfig } from './kinds.ts';
import { Queue, type QueueStatus } from './queue.ts';
import { openRecord, refusedEvent, type AuditFacts, type AuditRecord, type RecordContext } from './record.ts';

export type { AuditRecord } from './record.ts';

export interface Audit {
  /** Opens the record of one request; `requestBytes` is the size of its body. */
  open(facts: AuditFacts, requestBytes: number): AuditRecord;
  /** Records a request that was refused before it became a call. */
  invalid(about: { readonly requestId: string; readonly error: GatewayError; readonly source: string }): void;
  /** Resolves when all closed records are written, or could not be: then they wait on. */
  flush(): Promise<void>;
  /** Writes what waits, within two seconds, and lets go of the sinks. Records closed later are lost and counted. */
  close(): Promise<void>;
  status(): readonly SinkStatus[];
}

export interface SinkStatus extends QueueStatus {
  readonly sink: string;
  readonly path?: string;
}

export interface AuditOptions extends Readonly<Config['audit']> {
  readonly scrub: Pick<Scrubber, 'text' | 'json'>;
  readonly metrics: Pick<Metrics, 'auditRecords' | 'auditQueue'>;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export function createAudit(options: AuditOptions): Audit {
  const { scrub, log, now = Date.now } = options;
  const sinks = openSinks(options, now);
  const queues = sinks.map(({ queue }) => queue);

  function write(event: AuditEvent): void {
    if (queues.length === 0) return;
    const line = escapeUnseen(scrub.json(JSON.stringify(event)));
    for (const queue of queues) queue.push(line);
  }

  const context: RecordContext = {
    rule: options.arguments,
    scrub: (text) => scrub.text(text),
    now,
    elapsed: () => performance.now(),
    write,
    closedTwice: (requestId) =>
      log.error({ requestId }, 'an audit record was closed twice; the second time is ignored'),
  };

  return {
    open: (facts, requestBytes) => openRecord(facts, requestBytes, context),
    invalid: (about) => write(refusedEvent(about, now())),
    flush: async () => void (await Promise.all(queues.map((queue) => queue.flush()))),
    close: async () => void (await Promise.all(queues.map((queue) => queue.close()))),
    status: () => sinks.map(statusOf),
  };
}

function openSinks({ sinks, queue: limit, metrics, log }: AuditOptions, now: () => number) {
  return sinks.map((piece, index) => {
    const name = nameOf(sinks, index);
    return { name, piece, queue: new Queue({ name, output: openSink(piece), limit, metrics, log, now }) };
  });
}

/** `file`, `stdout`, and `file-2` for the second of its type. */
function nameOf(sinks: readonly SinkConfig[], index: number): string {
  const { type } = sinks[index]!;
  const nth = sinks.slice(0, index + 1).filter((sink) => sink.type === type).length;
  return nth === 1 ? type : `${type}-${nth}`;
}

function statusOf({ name, piece, queue }: { name: string; piece: SinkConfig; queue: Queue }): SinkStatus {
  return { sink: name, ...('path' in piece ? { path: piece.path } : {}), ...queue.status() };
}
