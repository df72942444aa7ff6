/**
 * Sealed states: what a client keeps for us between two requests and must not read, change, or use elsewhere
 * (2026-07-28, "Multi round-trip requests": `requestState` is attacker-controlled). AES-256-GCM; the binding is
 * authenticated with it, so a state opens only for the caller, target and parameters it was made for.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Call, JsonObject } from '../model.ts';
import { isObject } from '../protocol/envelope.ts';

const ALGORITHM = 'aes-256-gcm';
const IV = 12;
const TAG = 16;

export interface Seal {
  seal(payload: JsonObject, binding: string): string;
  /** undefined for whatever was not sealed here, for this binding, or has expired. */
  open(text: string, binding: string): JsonObject | undefined;
}

/** The key lives as long as the process. `ttl` and `now` in milliseconds. */
export function createSeal(ttl: number, now: () => number = Date.now): Seal {
  const key = randomBytes(32);
  return {
    seal(payload, binding) {
      const iv = randomBytes(IV);
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(binding));
      const text = JSON.stringify({ expires: now() + ttl, payload });
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
        'base64url',
      );
    },
    open(text, binding) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length <= IV + TAG) return undefined;
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV)).setAAD(Buffer.from(binding));
        decipher.setAuthTag(bytes.subarray(-TAG));
        const opened = decipher.update(bytes.subarray(IV, -TAG), undefined, 'utf8') + decipher.final('utf8');
        const { expires, payload } = JSON.parse(opened) as { expires: number; payload: JsonObject };
        return expires > now() && isObject(payload) ? payload : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** What a state is bound to: the caller, the profile, the upstream, and the request but for what a retry adds. */
export function bindingOf({ principal, profile, method, params }: Call, upstream: string): string {
  const { _meta, inputResponses: _responses, requestState: _state, ...asked } = params;
  const digest = createHash('sha256').update(JSON.stringify(asked)).digest('hex');
  return JSON.stringify([principal.key, profile, upstream, method, digest]);
}
