/** The table of sinks. A new one is a file and a line here; nobody below asks which kind it is. */
import { z } from 'zod';
import { fileSink } from './file.ts';
import type { Output } from './output.ts';
import { stdoutSink } from './stdout.ts';

const SINKS = { file: fileSink, stdout: stdoutSink };

/** One entry of `audit.sinks`. */
export const sinkSchema = z.discriminatedUnion('type', [fileSink.schema, stdoutSink.schema]);

/** One configured sink. */
export type SinkConfig = z.output<typeof sinkSchema>;

export function openSink(piece: SinkConfig): Output {
  const { create } = SINKS[piece.type] as { create: (piece: SinkConfig) => Output };
  return create(piece);
}
