/** The spellings in which a secret can turn up in a text: as it is, and as the usual encodings leave it. */

/** Every spelling of `value` to look for, without repeats. */
export function secretForms(value: string): readonly string[] {
  const url = encodeURIComponent(value);
  const json = jsonEscaped(value);
  const forms = [
    value,
    json,
    jsonEscaped(json), // JSON inside a JSON string
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    url.replaceAll('%20', '+'),
    ...base64Forms(value, 'base64'),
    ...base64Forms(value, 'base64url'),
  ];
  return [...new Set(forms)];
}

const jsonEscaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * Base64 of the value alone, and what is constant of it inside a longer text (`Basic base64(user:value)`): that depends on
 * how many bytes, modulo three, stand before it, and loses the characters that also hold bits of its neighbors.
 */
function base64Forms(value: string, encoding: 'base64' | 'base64url'): readonly string[] {
  const bytes = Buffer.from(value);
  const embedded = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding);
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [bytes.toString(encoding), ...embedded];
}
