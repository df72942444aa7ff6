import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrubber } from '../../src/telemetry/scrub.ts';

const SECRET = 'p"ss w\\rd/+é=1';

describe('createScrubber', () => {
  const scrub = createScrubber([SECRET]);
  const base64 = Buffer.from(SECRET).toString('base64');

  it.each([
    ['raw', SECRET],
    ['base64', base64],
    ['base64url', Buffer.from(SECRET).toString('base64url')],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['URL-encoded in lower case', encodeURIComponent(SECRET).toLowerCase()],
    ['form-encoded', encodeURIComponent(SECRET).replaceAll('%20', '+')],
    ['JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
  ])('takes out the %s form', (_form, text) => {
    expect(scrub.text(`before ${text} after ${text}`)).toBe('before [secret] after [secret]');
  });

  it.each(['', 'u', 'us', 'use', 'user:'])('takes it out of base64 that begins with %j', (prefix) => {
    const encoded = Buffer.from(`${prefix}${SECRET}tail`).toString('base64');
    const scrubbed = scrub.text(encoded);
    expect(scrubbed).toContain('[secret]');
    expect(scrubbed.length).toBeLessThan(encoded.length - base64.length + 14);
  });

  it('leaves values under six characters alone', () => {
    expect(createScrubber(['info', 'true', '12345']).text('info true 12345')).toBe('info true 12345');
  });

  it('learns values later', () => {
    const learning = createScrubber();
    expect(learning.text('rotated-value')).toBe('rotated-value');
    learning.add(['rotated-value', 'another-value']);
    expect(learning.text('rotated-value, another-value')).toBe('[secret], [secret]');
  });

  it('takes the longest of two secrets that begin alike', () => {
    expect(createScrubber(['secret', 'secret-and-more']).text('a secret-and-more, a secret')).toBe(
      'a [secret], a [secret]',
    );
  });
});

describe('json', () => {
  it('gives JSON back, scrubbed in keys and values, numbers digit by digit', () => {
    const text = JSON.stringify({ [SECRET]: [`x${SECRET}`], n: 0 }).replace(
      '"n":0',
      '"n":12345678901234567890.50',
    );
    expect(createScrubber([SECRET]).json(text)).toBe(
      '{"[secret]":["x[secret]"],"n":12345678901234567890.50}',
    );
  });

  it('does not take the end of an escape for the beginning of a secret', () => {
    const text = JSON.stringify({ a: '\nabcdefg', b: '\u001bdeadbeef' });
    expect(createScrubber(['nabcdefg', '1bdeadbeef']).json(text)).toBe(text);
  });

  it('does not match across strings', () => {
    const text = '{"a":"one","b":"two"}';
    expect(createScrubber(['one","b":"two']).json(text)).toBe(text);
  });

  it('takes any secret out of any value, and changes nothing else', () => {
    const secret = fc.string({ minLength: 6, unit: 'binary' }).filter((text) => !'[secret]'.includes(text));
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 5 }),
        fc.jsonValue(),
        fc.string(),
        (secrets, value, other) => {
          const scrubber = createScrubber(secrets);
          const text = JSON.stringify({ value, held: secrets.map((held) => `<${held}>`), other });
          const scrubbed = JSON.parse(scrubber.json(text)) as { held: string[]; other: string };
          for (const [i, held] of scrubbed.held.entries()) expect(held.includes(secrets[i]!)).toBe(false);
          expect(scrubbed.other).toBe(scrubber.text(other));
        },
      ),
    );
  });
});
