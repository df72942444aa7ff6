import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import type { Output } from '../../src/audit/output.ts';
import { Queue } from '../../src/audit/queue.ts';
import { streamOutput } from '../../src/audit/stdout.ts';

/** A sink in memory that fails, stalls or takes a few bytes at a time when it is told to. */
class Memory implements Output {
  text = '';
  failing: Error | undefined;
  atMost = Infinity;
  closed = false;
  gate: Promise<void> | undefined;

  async write(bytes: Uint8Array): Promise<number> {
    await this.gate;
    if (this.failing) throw this.failing;
    const part = bytes.subarray(0, this.atMost);
    this.text += Buffer.from(part).toString('latin1');
    return part.length;
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  get lines(): string[] {
    return Buffer.from(this.text, 'latin1').toString().split('\n').slice(0, -1);
  }
}

function setUp(limit = 1_000, output: Output = new Memory()) {
  const counts = { written: 0, dropped: 0 };
  const said: string[] = [];
  let queued = (): number => -1;
  const queue = new Queue({
    name: 'file',
    output,
    limit,
    now: () => Date.UTC(2026, 0, 2),
    log: {
      info: (_fields, message) => void said.push(message),
      error: (_fields, message) => void said.push(message),
    },
    metrics: {
      auditRecords: (_sink, result, count) => void (counts[result] += count),
      auditQueue: (_sink, read) => void (queued = read),
    },
  });
  return { queue, output: output as Memory, counts, said, queued: () => queued() };
}

describe('Queue', () => {
  it('writes lines in order, several at once', async () => {
    const { queue, output, counts } = setUp();
    queue.push('one');
    queue.push('two');
    expect(output.text).toBe('');
    await queue.flush();
    expect(output.text).toBe('one\ntwo\n');
    expect(counts).toEqual({ written: 2, dropped: 0 });
  });

  it('writes without being asked', async () => {
    const written = new PassThrough();
    const { queue } = setUp(10, streamOutput(written));
    queue.push('one');
    const [chunk] = (await written.take(1).toArray()) as Buffer[];
    expect(String(chunk)).toBe('one\n');
  });

  it('drops what comes when it is full, counts it, and records the loss once there is room', async () => {
    const { queue, output, counts, queued } = setUp(3);
    for (let i = 0; i < 8; i++) queue.push(`${i}`);
    expect([queued(), queue.status()]).toEqual([3, { queued: 3, dropped: 5 }]);
    await queue.flush();
    const lost = '{"v":1,"kind":"dropped","time":"2026-01-02T00:00:00.000Z","sink":"file","count":5}';
    expect(output.lines).toEqual(['0', '1', '2', lost]);
    queue.push('8');
    await queue.flush();
    expect(output.lines).toEqual(['0', '1', '2', lost, '8']);
    expect(counts).toEqual({ written: 5, dropped: 5 });
  });

  it('counts the batch that is being written as waiting', async () => {
    const { queue, output, counts } = setUp(2);
    let open!: () => void;
    output.gate = new Promise((resolve) => (open = resolve));
    queue.push('one');
    queue.push('two');
    const flushed = queue.flush();
    queue.push('three');
    expect(counts.dropped).toBe(1);
    open();
    await flushed;
    expect(output.lines.slice(0, 2)).toEqual(['one', 'two']);
  });

  it('keeps what a failing sink did not take, says so once, and goes on when it is healed', async () => {
    const { queue, output, said } = setUp();
    output.failing = new Error('ENOSPC: no space left');
    queue.push('one');
    await queue.flush();
    queue.push('two');
    await queue.flush();
    expect(queue.status()).toEqual({ queued: 2, dropped: 0, lastError: 'Error: ENOSPC: no space left' });
    expect(said).toHaveLength(1);
    output.failing = undefined;
    await queue.flush();
    expect(output.text).toBe('one\ntwo\n');
    expect(queue.status()).toEqual({ queued: 0, dropped: 0 });
    expect(said).toEqual([
      expect.stringContaining('cannot be written'),
      expect.stringContaining('works again'),
    ]);
  });

  it('goes on in the middle of a line that a full disk broke off: nothing torn, nothing twice', async () => {
    const { queue, output } = setUp();
    output.atMost = 5;
    const write = output.write.bind(output);
    let writes = 0;
    output.write = async (bytes) => {
      if (++writes % 2 === 0) throw new Error('ENOSPC');
      return write(bytes);
    };
    const lines = ['first record', 'zweiter Datensatz é', 'third'];
    for (const line of lines) queue.push(line);
    while (queue.status().queued > 0) await queue.flush();
    expect(output.lines).toEqual(lines);
  });

  it('at the end writes what waits and lets go of the sink; later records are lost and counted', async () => {
    const { queue, output, counts } = setUp();
    queue.push('one');
    await queue.close();
    queue.push('late');
    expect([output.text, output.closed, counts]).toEqual(['one\n', true, { written: 1, dropped: 1 }]);
  });

  it('at the end counts what a failing sink never took', async () => {
    const { queue, output, counts, said } = setUp();
    output.failing = new Error('gone');
    queue.push('one');
    await queue.close();
    expect(counts).toEqual({ written: 0, dropped: 1 });
    expect(said.at(-1)).toContain('lost');
  });

  it('does not wait for ever for a sink that hangs', async () => {
    const { queue, output, counts } = setUp();
    output.gate = new Promise(() => {});
    vi.useFakeTimers();
    queue.push('one');
    const closed = queue.close();
    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();
    await closed;
    expect(counts.dropped).toBe(1);
  });
});

describe('streamOutput', () => {
  it('reports a broken pipe instead of crashing', async () => {
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    await expect(streamOutput(broken).write(Buffer.from('x'))).rejects.toThrow('EPIPE');
  });
});
