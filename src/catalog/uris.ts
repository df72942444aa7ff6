/**
 * Resource URIs downstream. A URI passes unchanged while its owner is certain; otherwise it takes the mapped form
 * `<upstream>+<uri>`, which is a valid URI (RFC 3986, 3.1: a scheme may hold "+" and "-") and can be undone. `ui://x` becomes `ui://<upstream>/x`.
 */

const UI = 'ui://';

/** URIs of MCP Apps: every server may have `ui://index`. */
export const isUi = (uri: string): boolean => uri.startsWith(UI);

/** The form that always leads back to its upstream. */
export function mapUri(upstream: string, uri: string): string {
  return isUi(uri) ? `${UI}${upstream}/${uri.slice(UI.length)}` : `${upstream}+${uri}`;
}

/** @returns upstream and original URI when the text has the mapped form of one of `upstreams`. */
export function unmapUri(
  uri: string,
  isUpstream: (id: string) => boolean,
): { upstream: string; uri: string } | undefined {
  const mark = isUi(uri) ? uri.indexOf('/', UI.length) : uri.indexOf('+');
  if (mark < 0) return undefined;
  const start = isUi(uri) ? UI.length : 0;
  const upstream = uri.slice(start, mark);
  if (!isUpstream(upstream)) return undefined;
  return { upstream, uri: (start === 0 ? '' : UI) + uri.slice(mark + 1) };
}

/** Longest URI or template that is compared, in characters. */
export const MAX_URI = 8 * 1024;

/**
 * Does a URI fit a template (RFC 6570)? Each expression stands for any text, none included. Matched from left to right
 * without going back, so in time linear in the URI for each literal.
 */
export function fitsTemplate(template: string, uri: string): boolean {
  if (uri.length > MAX_URI || template.length > MAX_URI) return false;
  const literals = template.split(/\{[^{}]*\}/);
  const first = literals[0] ?? '';
  const last = literals.at(-1) ?? '';
  if (literals.length === 1) return uri === template;
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false;
  let at = first.length;
  for (const literal of literals.slice(1, -1)) {
    const found = uri.indexOf(literal, at);
    if (found < 0 || found + literal.length > uri.length - last.length) return false;
    at = found + literal.length;
  }
  return true;
}
