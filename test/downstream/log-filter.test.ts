import { expect, it } from 'vitest';
import { logFilter } from '../../src/downstream/log-filter.ts';
import type { JsonObject } from '../../src/model.ts';

it('passes log messages from the asked severity on, and everything else', () => {
  const passed: string[] = [];
  let level: string | undefined = 'warning';
  const notify = logFilter(
    () => level,
    ({ params, method }: JsonObject) =>
      void passed.push(
        `${(method as string).slice(14)} ${((params as JsonObject)['level'] as string | undefined) ?? ''}`,
      ),
  );
  const log = (severity: string): void =>
    notify({ method: 'notifications/message', params: { level: severity } });
  for (const severity of ['debug', 'warning', 'error', 'loud']) log(severity);
  level = undefined;
  log('debug');
  level = 'emergency';
  notify({ method: 'notifications/progress', params: {} });
  expect(passed).toEqual(['message warning', 'message error', 'message debug', 'progress ']);
});
