/**
 * Builds the Rego toolchain: Go source → WebAssembly → brotli, with checksums and the Go version beside it.
 * `--check` rebuilds and compares instead, when the Go at hand is the one that was recorded.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const HERE = import.meta.dirname;
const WASM = 'regotool.wasm';
const PACKED = `${WASM}.br`;
const SUMS = join(HERE, 'SHA256SUMS');
const VERSION = join(HERE, 'GOVERSION');

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** `go1.26.8`, or undefined when there is no Go on the path. The platform does not matter to the result. */
function goVersion(): string | undefined {
  try {
    return execFileSync('go', ['env', 'GOVERSION'], { cwd: HERE, encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

function compile(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'regotool-'));
  try {
    const file = join(folder, WASM);
    const flags = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', file];
    const env = {
      ...process.env,
      GOOS: 'wasip1',
      GOARCH: 'wasm',
      GOFLAGS: '',
      GOWASM: '',
      GOEXPERIMENT: '',
      CGO_ENABLED: '0',
    };
    execFileSync('go', ['build', ...flags, '.'], { cwd: HERE, env, stdio: ['ignore', 'inherit', 'inherit'] });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function pack(wasm: Buffer): Buffer {
  return brotliCompressSync(wasm, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length,
    },
  });
}

function build(go: string | undefined): boolean {
  if (go === undefined) {
    say(
      'Go is not on the path: it is needed to build the toolchain (not to run the gateway). See go.mod for the version.',
    );
    return false;
  }
  say(`Building with ${go}, then packing; this takes a few minutes.`);
  const wasm = compile();
  const packed = pack(wasm);
  writeFileSync(join(HERE, PACKED), packed);
  writeFileSync(SUMS, `${sha256(wasm)}  ${WASM}\n${sha256(packed)}  ${PACKED}\n`);
  writeFileSync(VERSION, `${go}\n`);
  say(`${PACKED}: ${(packed.length / 1e6).toFixed(1)} MB, unpacked ${(wasm.length / 1e6).toFixed(1)} MB`);
  return true;
}

function recorded(name: string): string | undefined {
  const line = readFileSync(SUMS, 'utf8')
    .split('\n')
    .find((each) => each.endsWith(`  ${name}`));
  return line?.slice(0, 64);
}

/** The committed artefact is what its checksums say, whatever Go is at hand. */
function isIntact(): boolean {
  if (!existsSync(join(HERE, PACKED)) || !existsSync(SUMS) || !existsSync(VERSION)) {
    say(`${PACKED}, SHA256SUMS or GOVERSION is missing: run npm run build:rego`);
    return false;
  }
  const packed = readFileSync(join(HERE, PACKED));
  const intact =
    sha256(packed) === recorded(PACKED) && sha256(brotliDecompressSync(packed)) === recorded(WASM);
  if (!intact) say(`${PACKED} does not match SHA256SUMS`);
  return intact;
}

function check(go: string | undefined): boolean {
  if (!isIntact()) return false;
  const wanted = readFileSync(VERSION, 'utf8').trim();
  if (go !== wanted) {
    const found = go === undefined ? 'Go is not on the path' : `the Go on the path is ${go}`;
    say(
      `${found}, the artefact was built with ${wanted}: bytes are not compared, only behaviour (npm test). The checksums match.`,
    );
    return true;
  }
  const same = sha256(compile()) === recorded(WASM);
  say(
    same
      ? `Rebuilt with ${go}: the same bytes.`
      : `Rebuilt with ${go}: other bytes than ${PACKED}. Run npm run build:rego and commit the result.`,
  );
  return same;
}

const ok = process.argv.includes('--check') ? check(goVersion()) : build(goVersion());
process.exitCode = ok ? 0 : 1;
