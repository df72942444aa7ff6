/** Where audit records end up. A kind of sink is one file with a `SinkKind`, and a line in kinds.ts. */
import type { z } from 'zod';
import type { SinkConfig } from '../config/config.ts';

/** A place for bytes. One call at a time. */
export interface Output {
  /** Writes as much of `bytes` as goes in, and says how much that was. After a failure the rest is offered again. */
  write(bytes: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

export interface SinkKind<T extends SinkConfig['type']> {
  readonly type: T;
  readonly schema: z.ZodType<Extract<SinkConfig, { type: T }>>;
  create(piece: Extract<SinkConfig, { type: T }>): Output;
}
