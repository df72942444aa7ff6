/**
 * The gateway's own log, on stderr: one JSON object per line, or readable text when a person is looking (a terminal).
 *
 *   pino ─► scrub ─► escape ─► stream            pretty: … ─► double the escapes ─► pino-pretty ─► stream
 */
import { pino, type DestinationStream, type LoggerOptions } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Scrubber } from './scrub.ts';
import { doubleEscapes, escapeUnseen } from './unseen.ts';

type Fields = Readonly<Record<string, unknown>>;
type Write = (fields: Fields, message: string) => void;

/** Errors among the fields are written with their stack and causes. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** A log that adds `fields` to every line. */
  child(fields: Fields): Log;
}

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly scrub: Scrubber;
  /** Default: stderr. */
  readonly stream?: DestinationStream;
  /** Readable text instead of JSON. Default: whether stderr is a terminal. */
  readonly pretty?: boolean;
}

const MESSAGE = 'message';

export function createLog({
  level,
  scrub,
  stream = stderr(),
  pretty = process.stderr.isTTY,
}: LogOptions): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    messageKey: MESSAGE,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: describeErrors },
    hooks: { streamWrite: (line) => escapeUnseen(scrub.json(line.trimEnd())) + '\n' },
  };
  return pino(options, pretty ? readable(stream) : stream);
}

/** A log that cannot be written must not stop the gateway. */
function stderr(): DestinationStream {
  return pino.destination({ fd: process.stderr.fd, sync: true }).on('error', () => {});
}

function describeErrors(fields: Record<string, unknown>): Record<string, unknown> {
  const described = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Error ? pino.stdSerializers.errWithCause(value) : value,
  ]);
  return Object.fromEntries(described) as Record<string, unknown>;
}

function readable(stream: DestinationStream): DestinationStream {
  const print = prettyFactory({
    colorize: true,
    messageKey: MESSAGE,
    translateTime: 'SYS:HH:MM:ss.l',
    // A line feed in a message would let its author write lines of the log.
    messageFormat: (line, key) => String(line[key]).replaceAll('\n', String.raw`\n`),
  });
  return { write: (line) => stream.write(print(doubleEscapes(line))) };
}
