/** Reads HTTP/1.1 replies by hand, off whatever pieces the connection delivers: by length, chunked, or to the end. */

export interface Reply {
  readonly status: number;
  /** Status line and header lines as received. */
  readonly head: string;
  readonly body: Buffer;
}

/** Collects a body. `push` says whether it is complete; `end` whether it may end where the connection does. */
interface BodyReader {
  push(chunk: Buffer): boolean;
  readonly end: boolean;
  body(): Buffer;
}

const EMPTY: Buffer = Buffer.alloc(0);

/** The value of a response header, by its lower-case name. */
export function header(head: string, name: string): string | undefined {
  const start = head.toLowerCase().indexOf(`\r\n${name}:`);
  if (start < 0) return undefined;
  const from = start + name.length + 3;
  const end = head.indexOf('\r\n', from);
  return head.slice(from, end < 0 ? undefined : end).trim();
}

const joined = (parts: readonly Buffer[]): Buffer => (parts.length === 1 ? parts[0]! : Buffer.concat(parts));

function readLength(total: number): BodyReader {
  const parts: Buffer[] = [];
  let missing = total;
  const push = (chunk: Buffer) => {
    parts.push(chunk);
    missing -= chunk.length;
    if (missing < 0) throw new Error('the reply is longer than its Content-Length');
    return missing === 0;
  };
  return { push, end: false, body: () => joined(parts) };
}

function readToEnd(): BodyReader {
  const parts: Buffer[] = [];
  const push = (chunk: Buffer) => {
    parts.push(chunk);
    return false;
  };
  return { push, end: true, body: () => joined(parts) };
}

function readChunked(): BodyReader {
  const parts: Buffer[] = [];
  let held: Buffer = EMPTY;
  let missing = 0;

  /** Takes one piece off the front: data of the open chunk, or the next size line. Returns the rest, or what ended it. */
  function take(rest: Buffer): Buffer | 'more' | 'done' {
    if (missing > 0) {
      const part = rest.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
      return rest.subarray(part.length);
    }
    // Every size line but the first is preceded by the line end of the data before it.
    const start = parts.length === 0 ? 0 : 2;
    const end = rest.indexOf('\r\n', start);
    if (end < 0) return 'more';
    missing = Number.parseInt(rest.toString('latin1', start, end), 16);
    if (Number.isNaN(missing)) throw new Error('the reply has a chunk without a size');
    if (missing > 0) return rest.subarray(end + 2);
    return rest.indexOf('\r\n\r\n', end) < 0 ? 'more' : 'done';
  }

  function push(chunk: Buffer): boolean {
    let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = EMPTY;
    while (rest.length > 0) {
      const next = take(rest);
      if (next === 'done') return true;
      if (next === 'more') {
        held = rest;
        return false;
      }
      rest = next;
    }
    return false;
  }
  return { push, end: false, body: () => joined(parts) };
}

function bodyReader(status: number, head: string): BodyReader {
  if (status === 204 || status === 304) return readLength(0);
  if (header(head, 'transfer-encoding')?.toLowerCase() === 'chunked') return readChunked();
  const length = header(head, 'content-length');
  return length === undefined ? readToEnd() : readLength(Number(length));
}

/** Reads replies off the chunks of a connection, one at a time: requests are not pipelined. */
export class ReplyParser {
  #held: Buffer = EMPTY;
  #open: { readonly status: number; readonly head: string; readonly reader: BodyReader } | undefined;

  /** The reply that this chunk completes, if it does. */
  push(chunk: Buffer): Reply | undefined {
    if (this.#open !== undefined) return this.#open.reader.push(chunk) ? this.#finish() : undefined;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const end = bytes.indexOf('\r\n\r\n');
    this.#held = end < 0 ? bytes : EMPTY;
    if (end < 0) return undefined;
    const head = bytes.toString('latin1', 0, end);
    const status = Number(head.slice(9, 12));
    this.#open = { status, head, reader: bodyReader(status, head) };
    return this.#open.reader.push(bytes.subarray(end + 4)) ? this.#finish() : undefined;
  }

  /** The reply that the end of the connection completes, if it does. */
  end(): Reply | undefined {
    return this.#open?.reader.end === true ? this.#finish() : undefined;
  }

  #finish(): Reply | undefined {
    if (this.#open === undefined) return undefined;
    const { status, head, reader } = this.#open;
    this.#open = undefined;
    return { status, head, body: reader.body() };
  }
}
