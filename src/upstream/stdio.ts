/** The stdio transport: a child process that speaks one JSON message a line (2025-11-25, "Transports: stdio"). */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { resolve } from 'node:path';
import { lineReader } from '../protocol/lines.ts';
import { sliceMessage } from '../protocol/slices.ts';
import { childEnv } from './child-env.ts';
import { stdioCredentials } from './credentials/schema.ts';
import { readMessage } from './event-reader.ts';
import { LinkError, type Link, type LinkContext, type LinkEvents, type TransportKind } from './link.ts';
import { createPending } from './pending.ts';
import { endGroup, spawnGroup } from './process-group.ts';
import { stdioShape, type StdioPiece } from './stdio-schema.ts';

const STDERR_LINE = 8 * 1024;
const STDERR_TAIL = 5;
/** Lines of stderr that reach the log each second; a flood is counted, not written. */
const STDERR_RATE = 50;
/** After the end of the process, what it has still written is read for this long. */
const LAST_WORDS = 250;
/** An overlong answer names its request at its beginning or at its end, depending on the server's library. */
const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*"?(\d+)"?\s*,/;
const ID_LAST = /"id"\s*:\s*"?(\d+)"?\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

export const stdio: TransportKind<'stdio', typeof stdioShape> = {
  type: 'stdio',
  shape: stdioShape,
  toldBy: 'command',
  credentials: stdioCredentials.describe('What the gateway gives the server to identify itself'),
  // A server of the old era may end at a request that it does not know before `initialize`.
  eras: ['legacy', 'modern'],
  open,
};

async function open(piece: StdioPiece, context: LinkContext, events: LinkEvents): Promise<Link> {
  const env = childEnv(process.env, piece.inheritEnv, { ...piece.env, ...context.credential.env });
  const cwd = resolve(context.dir, piece.cwd ?? '.');
  const child = spawnGroup({ command: piece.command, args: piece.args, cwd, env });
  const stderr = readStderr(child, context);
  const { command } = piece;
  await started(child, command, cwd, env['PATH']);
  return createLink(child, { command, path: env['PATH'] ?? '', stderr }, context, events);
}

function started(
  child: ChildProcessWithoutNullStreams,
  command: string,
  cwd: string,
  path = '',
): Promise<void> {
  return new Promise((done, failed) => {
    child.once('spawn', done);
    child.once('error', (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'ENOENT'
          ? `the command "${command}" was not found (or the folder ${cwd} does not exist); PATH=${path}`
          : `the command "${command}" could not be started: ${cause.message}`;
      failed(new LinkError('unsent', why, { cause }));
    });
  });
}

function createLink(
  child: ChildProcessWithoutNullStreams,
  { command, path, stderr }: Started,
  context: LinkContext,
  events: LinkEvents,
): Link {
  const pending = createPending(context.dropped);
  let gone: string | undefined;
  let spoke = false;

  function end(reason: string): void {
    if (gone !== undefined) return;
    gone = reason;
    pending.end(new LinkError('lost', reason));
    events.closed(reason);
  }

  /** Who never said a word was perhaps not the program that was meant. */
  const place = (): string => (spoke ? '' : ` before it said anything; PATH=${path}`);

  function receive(line: Buffer): void {
    const message = sliceMessage(line);
    if (!message) return noise(line);
    spoke = true;
    if (!message.top.has('method')) return pending.answer(message);
    const parsed = readMessage(line.toString('utf8'));
    return parsed ? events.message(parsed) : noise(line);
  }

  function noise(line: Buffer): void {
    if (line.toString('latin1').trim() === '') return;
    context.dropped('noise');
    context.log.warn(
      { upstream: context.id, line: line.toString('utf8', 0, 200) },
      'a line on stdout is no JSON-RPC message; skipped',
    );
  }

  function overlong(head: Buffer): void {
    context.dropped('too_long');
    context.log.warn(
      { upstream: context.id, limit: context.maxMessage },
      'a message is longer than limits.result; dropped',
    );
    tooLong(ID_FIRST, head);
  }

  function tooLong(where: RegExp, part: Buffer): void {
    const [, id] = where.exec(part.toString('latin1')) ?? [];
    const why = `the answer is larger than limits.result (${context.maxMessage} bytes)`;
    pending.fail(Number(id), new LinkError('bad_answer', why));
  }

  const overlongEnd = (tail: Buffer): void => tooLong(ID_LAST, tail);
  child.stdout.on('data', lineReader(context.maxMessage, { line: receive, overlong, overlongEnd }));
  child.stdin.on('error', () => undefined); // EPIPE: the exit that follows says why
  child.once('exit', (code, signal) => {
    const how = signal === null ? `exit code ${code ?? '?'}` : `signal ${signal}`;
    // The pipes may still hold an answer, or the reason; a grandchild may keep them open for ever.
    const ended = (): void => end(`"${command}" ended (${how})${place()}${stderr.text()}`);
    child.once('close', ended);
    setTimeout(ended, LAST_WORDS).unref();
  });
  child.stdout.once('end', () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // A process may close its pipes a moment before it ends; one that stays without its stdout is of no use.
    setTimeout(() => end(`"${command}" closed its stdout${place()}${stderr.text()}`), LAST_WORDS).unref();
  });

  return {
    exchange({ id, text, signal }) {
      if (gone !== undefined) return Promise.reject(new LinkError('unsent', gone));
      const answer = pending.wait(id, signal);
      child.stdin.write(`${text}\n`);
      return answer;
    },
    post(text) {
      if (gone === undefined) child.stdin.write(`${text}\n`);
      return Promise.resolve();
    },
    async close() {
      gone ??= 'closed by the gateway';
      pending.end(new LinkError('lost', gone));
      await endGroup(child);
    },
  };
}

/** What is told when the child ends. */
interface Started {
  readonly command: string;
  readonly path: string;
  readonly stderr: StderrTail;
}

interface StderrTail {
  /** The last lines, as the end of a sentence; empty when there were none. */
  text(): string;
}

function readStderr(child: ChildProcessWithoutNullStreams, context: LinkContext): StderrTail {
  const tail: string[] = [];
  let second = 0;
  let written = 0;
  const keep = (bytes: Buffer): void => {
    const line = bytes.toString('utf8').trimEnd();
    if (line === '') return;
    tail.push(line.slice(0, 500));
    if (tail.length > STDERR_TAIL) tail.shift();
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, written] = [now, 0];
    if (++written <= STDERR_RATE) context.log.debug({ upstream: context.id, line }, 'stderr');
    else if (written === STDERR_RATE + 1)
      context.log.warn({ upstream: context.id }, 'stderr is flooded; lines are left out');
  };
  child.stderr.on('data', lineReader(STDERR_LINE, { line: keep, overlong: keep }));
  return { text: () => (tail.length === 0 ? '' : `; stderr ended with: ${tail.join(' | ')}`) };
}
