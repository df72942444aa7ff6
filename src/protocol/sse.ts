/** Server-sent events, outgoing: one message as one event (WHATWG HTML, "Server-sent events"). */

/**
 * A message as an event. JSON of others may hold line ends between its tokens; each would end the field and let a
 * hostile upstream write events of its own, so every line gets its own `data:`.
 */
export function encodeEvent(message: string, id?: string): string {
  const data = /[\r\n]/.test(message) ? message.replaceAll(/\r\n|\r|\n/g, '\ndata: ') : message;
  return `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${data}\n\n`;
}

/** A comment line: keeps proxies from closing an idle stream. */
export const KEEP_ALIVE = ': keep-alive\n\n';
