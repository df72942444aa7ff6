/** The stream on which a modern server tells of changes: opened again when it ends, and when other resources are followed. */
import type { JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';
import type { Slices } from '../protocol/slices.ts';
import type { UpstreamRequest } from './hop.ts';
import { keepOpen } from './keep-open.ts';
import { LinkError, type LinkEvents } from './link.ts';

export interface Announcements {
  /** The resources whose updates are wanted from now on, in place of those before. */
  follow(uris: readonly string[]): void;
}

export interface AnnouncementsOptions {
  readonly send: (request: UpstreamRequest) => Promise<Slices>;
  readonly capabilities: JsonObject;
  readonly events: Pick<LinkEvents, 'closed' | 'missed'>;
  /** Aborted when the connection is given up. */
  readonly ended: AbortSignal;
}

const LISTS = ['tools', 'prompts', 'resources'];

export function openAnnouncements({
  send,
  capabilities,
  events,
  ended,
}: AnnouncementsOptions): Announcements {
  const lists = LISTS.filter(
    (kind) => isObject(capabilities[kind]) && capabilities[kind]['listChanged'] === true,
  );
  let turn = new AbortController();

  function follow(uris: readonly string[]): void {
    turn.abort();
    if (lists.length === 0 && uris.length === 0) return;
    turn = new AbortController();
    const signal = AbortSignal.any([ended, turn.signal]);
    const notifications: JsonObject = Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true]));
    if (uris.length > 0) notifications['resourceSubscriptions'] = [...uris];
    let streams = 0;
    void keepOpen(async () => {
      if (streams++ > 0) events.missed();
      return listen({ notifications }, signal);
    }, signal);
  }

  /** @returns whether to open another when it has ended. */
  async function listen(params: JsonObject, signal: AbortSignal): Promise<boolean> {
    try {
      const answer = await send({ method: 'subscriptions/listen', params, timeout: 0, signal });
      return answer.top.has('result');
    } catch (error) {
      if (!(error instanceof LinkError) || signal.aborted) return false;
      if (error.failure === 'unsent') events.closed(error.message);
      return error.failure === 'lost';
    }
  }

  follow([]);
  return { follow };
}
