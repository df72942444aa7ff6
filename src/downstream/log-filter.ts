/** Log messages of a server reach a client from the severity on that it asked for (RFC 5424 order). */
import type { JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';

const SEVERITIES = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** `level` is asked at each message: a session may change it while a call runs. */
export function logFilter(
  level: () => string | undefined,
  notify: (message: JsonObject) => void,
): (message: JsonObject) => void {
  return function filtered(message) {
    const least = level();
    const { method, params } = message;
    if (
      method === 'notifications/message' &&
      least !== undefined &&
      severity(params) < SEVERITIES.indexOf(least)
    )
      return;
    notify(message);
  };
}

const severity = (params: unknown): number =>
  SEVERITIES.indexOf(isObject(params) ? (params['level'] as string) : '');
