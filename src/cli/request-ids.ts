/** Ids of attempts: a random start for each process, then a count; short, unique across restarts, cheap to make. */
import { randomBytes } from 'node:crypto';

export function requestIds(): () => string {
  const start = randomBytes(8).toString('hex');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}
