/** Records appended to a file that only the gateway's user can read. */
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Output, SinkKind } from './output.ts';

const schema = z.strictObject({
  type: z.literal('file').describe('One JSON line for each record'),
  path: z.string().min(1).describe('The file; relative to the folder of the configuration file'),
});

export const fileSink = { type: 'file', schema, create: ({ path }) => fileOutput(path) } satisfies SinkKind<
  z.output<typeof schema>
>;

const NEWLINE = 0x0a;
/** How often a look is taken whether the path still is the open file (it is not after a rotation). */
const LOOK_EVERY_MS = 1_000;

export function fileOutput(path: string): Output {
  let file: FileHandle | undefined;
  let midLine = false;
  let looked = 0;

  /** Never changes files in the middle of a line. */
  async function current(): Promise<FileHandle> {
    const now = performance.now();
    if (file && !midLine && now - looked > LOOK_EVERY_MS) {
      looked = now;
      if (!(await isAt(file, path))) await drop();
    }
    file ??= await openForAppend(path);
    return file;
  }

  async function drop(): Promise<void> {
    const old = file;
    file = undefined;
    midLine = false;
    await old?.close();
  }

  return {
    async write(bytes) {
      const { bytesWritten } = await (await current()).write(bytes);
      if (bytesWritten > 0) midLine = bytes[bytesWritten - 1] !== NEWLINE;
      return bytesWritten;
    },
    close: drop,
  };
}

async function openForAppend(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'a+', 0o600);
  try {
    await endTornLine(file);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A crash may have left half a record: the next one starts on a line of its own. */
async function endTornLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) return;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  if (bytesRead === 1 && buffer[0] !== NEWLINE) await file.write('\n');
}

async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const [opened, named] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
  return opened.ino === named?.ino && opened.dev === named.dev;
}
