/** What an HTTP server that gave no MCP answer meant: by status, by body, by the error of the connection. */
import { LinkError } from './link.ts';

/** How servers of several makes say it: the specification's way is 404 (2025-11-25, "Session management"). */
const LOST_SESSION =
  /session.{0,60}(?:not found|not exist|unknown|expired|invalid|terminated|closed)|(?:no valid|not found|unknown|invalid|missing|expired).{0,20}session/i;

/** Has a server that was given a session id forgotten the session? It did not run the request then. */
export function isSessionLost(status: number, body: Buffer): boolean {
  return status === 404 || (status === 400 && LOST_SESSION.test(beginning(body)));
}

/** The reason in words, from a response that is no answer. */
export function refusal(status: number, body: Buffer): LinkError {
  const text = beginning(body);
  if (isSessionLost(status, body))
    return new LinkError('session_lost', status === 404 ? 'HTTP 404' : 'HTTP 400: the session is unknown', {
      status,
    });
  if (status === 401 || status === 403)
    return new LinkError(
      'bad_answer',
      `HTTP ${status}: the server refused the credential; check credentials of this upstream`,
      { status },
    );
  if (status >= 300 && status < 400)
    return new LinkError('bad_answer', `HTTP ${status}: redirects are not followed`, { status });
  return new LinkError(
    'bad_answer',
    status === 200
      ? 'the body is no answer to the request'
      : `HTTP ${status}${text && `: ${text.slice(0, 200)}`}`,
    { status },
  );
}

const beginning = (body: Buffer): string => body.toString('utf8', 0, 300).replaceAll(/\s+/g, ' ').trim();

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** An aborted request ends with a DOMException, whose code is a number. */
function codeOf(error: unknown): string {
  const code: unknown = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

export const isUnreachable = (error: unknown): boolean =>
  UNREACHABLE.has(codeOf(error)) || codeOf(error).startsWith('ERR_TLS') || codeOf(error).includes('CERT');

export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return code === '' || message.includes(code) ? message : `${message} (${code})`.trim();
}
