/** The known differences between direct and through the gateway, each with its reason. A line that covers none any more fails the run. */
import type { Feature } from './plan.ts';

export interface Accepted {
  /** Ids of clients.ts; without it all. */
  readonly clients?: readonly string[];
  /** Ids of servers.ts. */
  readonly servers: readonly string[];
  readonly feature: Feature;
  readonly reason: string;
}

export const ACCEPTED: readonly Accepted[] = [
  {
    servers: ['every-stdio', 'every-http', 'every-sse'],
    feature: 'elicitation',
    reason:
      'server-everything has the tool that asks only for clients that declare elicitation. The gateway lists tools on a connection that belongs to no caller and declares nothing, so the tool is not in its catalog.',
  },
  {
    servers: ['v2-modern-stdio'],
    feature: 'logging',
    reason:
      'On the one channel of a modern server over stdio a log message does not say whose call it is about, and the channel is common to all callers. So it reaches nobody.',
  },
];
