/**
 * Between the records and one sink: takes lines without waiting, writes them in batches, survives a sink that fails.
 *
 *   push ─► lines (bounded) ─► batch ─► output        full: the new line is lost, counted, and reported in a record
 *                                 └─ failed: the same bytes again, after a pause that doubles
 */
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { VERSION, type DroppedEvent } from './event.ts';
import type { Output } from './output.ts';

export interface QueueOptions {
  /** The sink's name in metrics, logs and records of loss. */
  readonly name: string;
  readonly output: Output;
  /** Records that may wait, the ones being written included. */
  readonly limit: number;
  readonly metrics: Pick<Metrics, 'auditRecords' | 'auditQueue'>;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface QueueStatus {
  readonly queued: number;
  readonly dropped: number;
  /** Why the sink does not work now. */
  readonly lastError?: string;
}

/** Lines gather this long (ms) before they are written, so that a busy gateway writes hundreds at once. */
const GATHER = 5;
const FIRST_RETRY = 100;
const LAST_RETRY = 30_000;
/** Characters that may wait; protects memory when records are large. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** Longest wait (ms) for a sink at the end. */
const CLOSE_WITHIN = 2_000;

export class Queue {
  readonly #options: QueueOptions;
  #lines: string[] = [];
  #characters = 0;
  /** The batch being written: what is left of its bytes, and how many records it has. */
  #batch = { bytes: Buffer.alloc(0), records: 0 };
  #dropped = 0;
  /** Lost since the last record of loss. */
  #lost = 0;
  #retry = FIRST_RETRY;
  #lastError: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    options.metrics.auditQueue(options.name, () => this.#queued);
  }

  get #queued(): number {
    return this.#lines.length + this.#batch.records;
  }

  /** `line` ends without a line feed. Never waits, never throws. */
  push(line: string): void {
    const full = this.#queued >= this.#options.limit || this.#characters + line.length > MAX_CHARACTERS;
    if (full || this.#closed) return this.#drop(1);
    this.#reportLoss();
    this.#add(line);
    this.#schedule(GATHER);
  }

  /** Tries now to write all there is; ends when it is written or the sink fails. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing; // may have begun before the last lines came
    await this.#drain();
  }

  /** As flush, within two seconds; what is left then is lost, and counted so. */
  async close(): Promise<void> {
    this.#closed = true;
    const late = new AbortController();
    const timeout = new Promise((resolve) => late.signal.addEventListener('abort', resolve));
    const timer = setTimeout(() => late.abort(), CLOSE_WITHIN);
    await Promise.race([this.flush(), timeout]);
    clearTimeout(timer);
    clearTimeout(this.#timer);
    if (this.#queued > 0) this.#abandon();
    if (!late.signal.aborted) await this.#options.output.close();
  }

  status(): QueueStatus {
    const error = this.#lastError === undefined ? {} : { lastError: this.#lastError };
    return { queued: this.#queued, dropped: this.#dropped, ...error };
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length;
  }

  #drop(count: number): void {
    this.#lost += count;
    this.#dropped += count;
    this.#options.metrics.auditRecords(this.#options.name, 'dropped', count);
  }

  #reportLoss(): void {
    if (this.#lost === 0) return;
    const { name, now } = this.#options;
    const event: DroppedEvent = {
      v: VERSION,
      kind: 'dropped',
      time: new Date(now()).toISOString(),
      sink: name,
      count: this.#lost,
    };
    this.#lost = 0;
    this.#add(JSON.stringify(event));
  }

  #abandon(): void {
    const count = this.#queued;
    this.#lines = [];
    this.#batch.records = 0;
    this.#drop(count);
    this.#options.log.error(
      { sink: this.#options.name, count, error: this.#lastError },
      'audit records were lost at the end',
    );
  }

  #schedule(delay: number): void {
    if (this.#timer || this.#writing) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#drain();
    }, delay);
  }

  /** Never rejects. */
  #drain(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#queued > 0 && !this.#closed)
        this.#schedule(this.#lastError === undefined ? GATHER : this.#retry);
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#queued > 0) {
        await this.#writeBatch();
        this.#reportLoss();
      }
      if (this.#lastError !== undefined) this.#healed();
    } catch (error) {
      this.#failed(error);
    }
  }

  async #writeBatch(): Promise<void> {
    if (this.#batch.records === 0) this.#takeBatch();
    while (this.#batch.bytes.length > 0) {
      const written = await this.#options.output.write(this.#batch.bytes);
      this.#batch.bytes = this.#batch.bytes.subarray(written);
    }
    this.#options.metrics.auditRecords(this.#options.name, 'written', this.#batch.records);
    this.#batch.records = 0;
  }

  #takeBatch(): void {
    this.#batch = { bytes: Buffer.from(this.#lines.join('\n') + '\n'), records: this.#lines.length };
    this.#lines = [];
    this.#characters = 0;
  }

  /** Said once; the metric and the status go on saying it. */
  #failed(error: unknown): void {
    const { name, log } = this.#options;
    const first = this.#lastError === undefined;
    this.#lastError = String(error);
    if (first)
      log.error(
        { sink: name, error: this.#lastError },
        'the audit sink cannot be written; records wait and it is tried again',
      );
    else this.#retry = Math.min(this.#retry * 2, LAST_RETRY);
  }

  #healed(): void {
    const { name, log } = this.#options;
    this.#lastError = undefined;
    this.#retry = FIRST_RETRY;
    log.info({ sink: name, dropped: this.#dropped }, 'the audit sink works again');
  }
}
