import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { fileOutput } from '../../src/audit/file.ts';

const root = mkdtempSync(join(tmpdir(), 'audit-file-'));
afterAll(() => rmSync(root, { recursive: true }));
let files = 0;
const fresh = (): string => join(root, String(files++), 'audit.jsonl');

async function write(output: ReturnType<typeof fileOutput>, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += await output.write(bytes.subarray(at));
}

describe('fileOutput', () => {
  it('makes the folder and a file for the user alone', async () => {
    const path = fresh();
    const output = fileOutput(path);
    await write(output, 'one\n');
    await output.close();
    expect(readFileSync(path, 'utf8')).toBe('one\n');
    expect(statSync(path).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
  });

  it('appends to what is there', async () => {
    const path = fresh();
    for (const line of ['one\n', 'two\n']) {
      const output = fileOutput(path);
      await write(output, line);
      await output.close();
    }
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  it('ends a line that a crash tore, so that the next record is whole', async () => {
    const path = join(root, 'torn.jsonl');
    writeFileSync(path, '{"whole":1}\n{"half":');
    const output = fileOutput(path);
    await write(output, '{"next":1}\n');
    await output.close();
    expect(readFileSync(path, 'utf8')).toBe('{"whole":1}\n{"half":\n{"next":1}\n');
  });

  it('follows a rotation, but not in the middle of a line', async () => {
    const path = fresh();
    const clock = vi.spyOn(performance, 'now');
    const later = (ms: number) => clock.mockReturnValue(ms);
    later(0);
    const output = fileOutput(path);
    await write(output, 'one\nhal');
    renameSync(path, `${path}.1`);
    later(5_000);
    await write(output, 'f\n');
    await write(output, 'two\n');
    clock.mockRestore();
    await output.close();
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('one\nhalf\n');
    expect(readFileSync(path, 'utf8')).toBe('two\n');
  });

  it('fails while its folder cannot be had, and works once it can', async () => {
    const folder = join(root, 'in-the-way');
    writeFileSync(folder, 'a file');
    const output = fileOutput(join(folder, 'audit.jsonl'));
    await expect(output.write(Buffer.from('one\n'))).rejects.toThrow(/ENOTDIR|EEXIST/);
    rmSync(folder);
    await write(output, 'one\n');
    await output.close();
    expect(readFileSync(join(folder, 'audit.jsonl'), 'utf8')).toBe('one\n');
  });

  it.skipIf(process.platform === 'win32')(
    'leaves the mode of a file that was there to its owner',
    async () => {
      const path = join(root, 'shared.jsonl');
      writeFileSync(path, '');
      chmodSync(path, 0o640);
      const output = fileOutput(path);
      await write(output, 'one\n');
      await output.close();
      expect(statSync(path).mode & 0o777).toBe(0o640);
    },
  );
});
