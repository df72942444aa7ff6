/** The check that makes the figures honest: every call that was measured through the gateway has its audit record. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { createInterface } from 'node:readline';

export interface AuditFinding {
  /** Records of our calls. */
  readonly records: number;
  readonly sampled: number;
  /** What is wrong, as sentences; empty when all is well. */
  readonly faults: readonly string[];
}

/** The audit file and what it was rotated to: files beside it whose name starts as its own does. */
async function filesOf(path: string): Promise<string[]> {
  const names = await readdir(dirname(path));
  return names
    .filter((name) => name.startsWith(parse(basename(path)).name))
    .map((name) => join(dirname(path), name));
}

/** How often each text that starts with the tag occurs, one a record. */
async function countTexts(path: string, tag: string): Promise<Map<string, number>> {
  const pattern = new RegExp(`${tag}[0-9a-z-]+`);
  const counts = new Map<string, number>();
  for (const file of await filesOf(path)) {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      const [text] = pattern.exec(line) ?? [];
      if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  return counts;
}

/** Compares the audit file, after the gateway has ended, with the number of calls sent and with the sampled texts. */
export async function checkAudit(
  path: string,
  tag: string,
  sent: number,
  samples: readonly string[],
): Promise<AuditFinding> {
  const counts = await countTexts(path, tag);
  const records = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const wrong = samples.filter((text) => counts.get(text) !== 1);
  const faults = wrong
    .slice(0, 5)
    .map((text) => `${counts.get(text) ?? 0} audit records instead of one for the call ${text}`);
  if (wrong.length > 5)
    faults.push(`and ${wrong.length - 5} more sampled calls without exactly one audit record`);
  if (records !== sent)
    faults.push(`${sent} calls went through the gateway, ${records} have an audit record`);
  return { records, sampled: samples.length, faults };
}
