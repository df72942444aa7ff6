/** Records on stdout, for whoever collects the output of containers. */
import { z } from 'zod';
import type { Output, SinkKind } from './output.ts';

const schema = z.strictObject({ type: z.literal('stdout').describe('One JSON line for each record') });

export const stdoutSink = {
  type: 'stdout',
  schema,
  create: () => streamOutput(process.stdout),
} satisfies SinkKind<z.output<typeof schema>>;

/** A slow reader of the stream holds up its own records only: each write waits for the one before. */
export function streamOutput(stream: NodeJS.WritableStream): Output {
  const ignore = (): void => {}; // the callback of the write has the same error
  stream.on('error', ignore);
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error ? reject(error) : resolve(bytes.length)));
      }),
    async close() {
      stream.off('error', ignore);
    },
  };
}
