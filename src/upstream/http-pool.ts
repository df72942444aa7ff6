/** The connections to one HTTP server. */
import { Pool } from 'undici';

const CONNECTIONS = 64;
const CONNECT_TIMEOUT = 10_000;

/** Deadlines are the caller's: the deadline of a call covers headers and body alike. */
export function openPool({ origin }: URL): Pool {
  return new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT },
  });
}
