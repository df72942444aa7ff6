/**
 * The child process of `toolchain.ts`: runs the Rego toolchain's WebAssembly over its own stdin and stdout.
 * Arguments: path of the compressed artefact, its SHA-256. Nothing of the file system is given to the module.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { WASI } from 'node:wasi';
import { brotliDecompressSync } from 'node:zlib';

const STDIN = 0;
const STDOUT = 1;

type Call = (fd: number, vectors: number, count: number, done: number) => number;

/** The module's stdin and stdout, in memory: as pipes of this process they do not block, and a large answer would break off. */
class Exchange {
  /** Bound when the module is instantiated; its buffer is replaced whenever it grows. */
  memory: WebAssembly.Memory | undefined;
  readonly #written: Uint8Array[] = [];
  #unread: Uint8Array;

  constructor(request: Uint8Array) {
    this.#unread = request;
  }

  get answer(): Uint8Array {
    return Buffer.concat(this.#written);
  }

  /** WASI's fd_read and fd_write for these two, its own for every other descriptor. */
  wrap(fd: number, transfer: (part: Uint8Array) => number, otherwise: Call): Call {
    return (asked, vectors, count, done) => {
      if (asked !== fd) return otherwise(asked, vectors, count, done);
      const sizes = this.#parts(vectors, count).map(transfer);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      new DataView(this.#buffer).setUint32(done, total, true);
      return 0;
    };
  }

  read = (part: Uint8Array): number => {
    const taken = this.#unread.subarray(0, part.length);
    part.set(taken);
    this.#unread = this.#unread.subarray(taken.length);
    return taken.length;
  };

  write = (part: Uint8Array): number => {
    this.#written.push(part.slice());
    return part.length;
  };

  get #buffer(): ArrayBuffer {
    if (this.memory === undefined) throw new Error('the toolchain asked for its input before it had memory');
    return this.memory.buffer;
  }

  /** An io vector is an address and a length, 32 bits each. */
  #parts(vectors: number, count: number): Uint8Array[] {
    const view = new DataView(this.#buffer);
    return Array.from({ length: count }, (_, index) => {
      const at = vectors + index * 8;
      return new Uint8Array(this.#buffer, view.getUint32(at, true), view.getUint32(at + 4, true));
    });
  }
}

async function load(path: string, expected: string): Promise<WebAssembly.Module> {
  const packed = await readFile(path);
  const actual = createHash('sha256').update(packed).digest('hex');
  if (actual !== expected) throw new Error(`${path} has the checksum ${actual}, SHA256SUMS says ${expected}`);
  return WebAssembly.compile(new Uint8Array(brotliDecompressSync(packed)));
}

const [path = '', expected = ''] = process.argv.slice(2);
const [module, request] = await Promise.all([load(path, expected), buffer(process.stdin)]);
const exchange = new Exchange(request);
const wasi = new WASI({ version: 'preview1', args: ['regotool'], env: {}, returnOnExit: true });
const own = wasi.wasiImport as Record<'fd_read' | 'fd_write', Call>;
const fd_read = exchange.wrap(STDIN, exchange.read, own.fd_read);
const fd_write = exchange.wrap(STDOUT, exchange.write, own.fd_write);
const instance = await WebAssembly.instantiate(module, {
  wasi_snapshot_preview1: { ...own, fd_read, fd_write },
});
exchange.memory = instance.exports['memory'] as WebAssembly.Memory;
process.exitCode = wasi.start(instance);
process.stdout.write(exchange.answer);
