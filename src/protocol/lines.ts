/** Cuts a byte stream into lines, in time linear in the bytes, and never holds more than one line of bounded length. */

const NEWLINE = 0x0a;
/** Enough of either end of an overlong line to find the id of the request that it answers. */
const ENDS = 256;

export interface LineSink {
  readonly line: (bytes: Buffer) => void;
  /** A line has grown longer than the bound and is left out; `head` is how it began. */
  readonly overlong: (head: Buffer) => void;
  /** That line has ended; `tail` is how. For those who found no answer in its head. */
  readonly overlongEnd?: (tail: Buffer) => void;
}

/** @returns the function to feed with chunks. A line's bytes are joined once, when its end has come. */
export function lineReader(maxLength: number, sink: LineSink): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  /** The end of the overlong line that is being skipped. */
  let tail: Buffer | undefined;

  function take(part: Buffer): void {
    if (part.length === 0) return;
    if (tail !== undefined) return keepTail(tail, part);
    parts.push(part);
    length += part.length;
    if (length <= maxLength) return;
    const line = Buffer.concat(parts, length);
    parts = [];
    keepTail(Buffer.alloc(0), line);
    sink.overlong(line.subarray(0, ENDS));
  }

  function keepTail(before: Buffer, part: Buffer): void {
    tail = Buffer.concat([before, part.subarray(-ENDS)]).subarray(-ENDS);
  }

  function endLine(): void {
    if (tail !== undefined) sink.overlongEnd?.(tail);
    else if (length > 0) sink.line(parts.length === 1 ? parts[0]! : Buffer.concat(parts, length));
    parts = [];
    length = 0;
    tail = undefined;
  }

  return function feed(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      endLine();
      start = end + 1;
    }
    take(chunk.subarray(start));
  };
}
