/** Where audit records end up. A kind of sink is one file with a `SinkKind`, and a line in kinds.ts. */
import type { z } from 'zod';

/** A place for bytes. One call at a time. */
export interface Output {
  /** Writes as much of `bytes` as goes in, and says how much that was. After a failure the rest is offered again. */
  write(bytes: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** `schema` is one entry of `audit.sinks`; `create` gets what it has read. */
export interface SinkKind<Piece extends { readonly type: string }> {
  readonly type: Piece['type'];
  readonly schema: z.ZodType<Piece>;
  create(piece: Piece): Output;
}
