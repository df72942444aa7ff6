/** The table of transports. A new one is a file and a line here; nobody below asks which kind it is. */
import type { z } from 'zod';
import type { TransportKind } from './link.ts';
import { sse } from './sse.ts';
import { stdio } from './stdio.ts';
import { streamableHttp } from './streamable-http.ts';

/** Where no transport is named and none is told by a key, the first is meant. */
export const TRANSPORTS = { stdio, 'streamable-http': streamableHttp, sse } as const;

type PieceOf<Kind> =
  Kind extends TransportKind<infer Type, infer Shape>
    ? { readonly transport: Type } & z.output<z.ZodObject<Shape>>
    : never;

/** What the transport of one upstream is configured with. */
export type TransportPiece = PieceOf<(typeof TRANSPORTS)[keyof typeof TRANSPORTS]>;
