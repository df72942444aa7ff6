import { describe, expect, it } from 'vitest';
import { createLog, type Log } from '../../src/telemetry/log.ts';
import { createScrubber } from '../../src/telemetry/scrub.ts';

const HELD = 'held-by-the-gateway';
// oxlint-disable-next-line no-control-regex -- the subject of the tests
const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]/;
/** What a server could write on purpose: colors, a C1 sequence, a forged line, a reversed text. */
const HOSTILE = 'red \u001b[31m \u009b2J \u007f \u202egnp.exe\r\n{"level":"info","message":"forged"}';

function logged(pretty: boolean, use: (log: Log) => void, level: 'debug' | 'info' = 'debug'): string[] {
  const lines: string[] = [];
  use(
    createLog({
      level,
      scrub: createScrubber([HELD]),
      pretty,
      stream: { write: (line) => void lines.push(line) },
    }),
  );
  return lines;
}

describe('JSON lines', () => {
  it('are one object per line with time, level, fields and message', () => {
    const [line] = logged(false, (log) => log.child({ upstream: 'files' }).warn({ n: 1 }, 'is down'));
    expect(JSON.parse(line!)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      upstream: 'files',
      n: 1,
      message: 'is down',
    });
  });

  it('leave out what is below the level', () => {
    expect(logged(false, (log) => log.debug({}, 'detail'), 'info')).toEqual([]);
  });

  it('hold no secret: in the message, a field, an error, its stack and its cause', () => {
    const error = new Error(`refused ${HELD}`, { cause: new Error(HELD) });
    const text = logged(false, (log) =>
      log.error({ error, sent: Buffer.from(HELD).toString('base64') }, HELD),
    ).join('');
    expect(text).not.toContain(HELD);
    expect(text).not.toContain(Buffer.from(HELD).toString('base64'));
    expect(JSON.parse(text)).toMatchObject({
      error: { message: 'refused [secret]', cause: { message: '[secret]' } },
    });
  });

  it('escape what steers a terminal, and read back as it was', () => {
    const [line, ...more] = logged(false, (log) => log.info({ line: HOSTILE }, HOSTILE));
    expect(more).toEqual([]);
    expect(line).not.toMatch(CONTROL);
    expect(line!.indexOf('\n')).toBe(line!.length - 1);
    expect(JSON.parse(line!)).toMatchObject({ line: HOSTILE, message: HOSTILE });
  });
});

describe('readable text', () => {
  // oxlint-disable-next-line no-control-regex -- the colors that pino-pretty adds itself
  const plain = (text: string): string => text.replaceAll(/\u001b\[\d+m/g, '');

  it('escapes what steers a terminal, and keeps a message on its line', () => {
    const text = logged(true, (log) =>
      log.error({ line: HOSTILE, nested: { HOSTILE }, error: new Error(HOSTILE) }, HOSTILE),
    ).join('');
    expect(text).not.toContain('\u001b[31m \u009b');
    expect(plain(text)).not.toMatch(CONTROL);
    expect(text).not.toMatch(/^\{"level"/m);
    expect(text.split('\n')[0]).toContain('forged');
  });

  it('holds no secret', () => {
    expect(logged(true, (log) => log.info({ a: HELD }, HELD)).join('')).not.toContain(HELD);
  });
});
