/** Which names of fields promise a secret as their value? Errs towards yes: a masked number hurts less than a logged password. */

/** Anywhere in the name, in any spelling: `dbPassword`, `API_KEY`, `x-auth-token`. */
const INSIDE =
  /passw|passphrase|passcode|secret|credential|authorization|cookie|bearer|apikey|privatekey|accesskey|signingkey|encryptionkey|sessionid|connectionstring|tokens?$/;
/** Only as a word of the name: `pin` but not `mapping`. */
const WORDS: ReadonlySet<string> = new Set([
  'pin',
  'otp',
  'totp',
  'pwd',
  'pass',
  'pat',
  'jwt',
  'cvv',
  'cvc',
  'token',
  'auth',
]);

/** Names come from callers, so the memory of verdicts is bounded. */
const REMEMBERED = 2_000;
const LONGEST = 64;
const verdicts = new Map<string, boolean>();

export function isSecretName(name: string): boolean {
  const known = verdicts.get(name);
  if (known !== undefined) return known;
  const verdict = judge(name);
  if (verdicts.size >= REMEMBERED) verdicts.clear();
  if (name.length <= LONGEST) verdicts.set(name, verdict);
  return verdict;
}

function judge(name: string): boolean {
  const words = name
    .normalize('NFKC')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => WORDS.has(word)) || INSIDE.test(words.join(''));
}
