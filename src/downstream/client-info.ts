/** What a client says of itself, bounded before it goes anywhere. */
import { isObject } from '../protocol/envelope.ts';

const MAX_CLIENT_TEXT = 200;

/** Name and version as the client gave them, bounded: they go into records and metrics are not labelled with them. */
export function clientOf(info: unknown): { name?: string; version?: string } {
  const { name, version } = isObject(info) ? info : {};
  return {
    ...(typeof name === 'string' ? { name: name.slice(0, MAX_CLIENT_TEXT) } : {}),
    ...(typeof version === 'string' ? { version: version.slice(0, MAX_CLIENT_TEXT) } : {}),
  };
}
