/** The table of sinks. A new one is a file and a line here; nobody below asks which kind it is. */
import { z } from 'zod';
import type { SinkConfig } from '../config/config.ts';
import { fileSink } from './file.ts';
import type { Output } from './output.ts';
import { stdoutSink } from './stdout.ts';

const SINKS = { file: fileSink, stdout: stdoutSink };

/** One entry of `audit.sinks`. */
export const sinkSchema = z.discriminatedUnion('type', [fileSink.schema, stdoutSink.schema]);

export function openSink(piece: SinkConfig): Output {
  const { create } = SINKS[piece.type] as { create: (piece: SinkConfig) => Output };
  return create(piece);
}
