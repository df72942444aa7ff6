/** The table of transports. A new one is a file and a line here; nobody below asks which kind it is. */
import type { TransportKind } from './link.ts';
import { stdio } from './stdio.ts';
import { streamableHttp } from './streamable-http.ts';

export const TRANSPORTS: Readonly<Record<'stdio' | 'streamable-http', TransportKind<never>>> = {
  stdio,
  'streamable-http': streamableHttp,
};
