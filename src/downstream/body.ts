/** Reads the body of a POST: bounded, UTF-8, JSON by its own word. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.ts';

/** @throws GatewayError `unsupported_media_type`, `too_large`, `parse_error`. */
export function readBody(request: IncomingMessage, max: number): Promise<Buffer> {
  checkType(request);
  if (Number(request.headers['content-length'] ?? 0) > max) return Promise.reject(tooLarge(max));
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > max) {
        request.pause();
        return reject(tooLarge(max));
      }
      if (first === undefined) first = chunk;
      else (rest ??= [first]).push(chunk);
    });
    request.once('end', () => {
      const body = rest ? Buffer.concat(rest, length) : (first ?? Buffer.alloc(0));
      if (isUtf8(body)) resolve(body);
      else reject(new GatewayError('parse_error', 'The body is not valid UTF-8.'));
    });
    request.once('error', reject);
  });
}

function checkType({ headers }: IncomingMessage): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (type !== 'application/json' || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8'))
    throw new GatewayError('unsupported_media_type', 'The Content-Type must be application/json, in UTF-8.');
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw new GatewayError('unsupported_media_type', 'Compressed bodies are not accepted.');
}

const tooLarge = (max: number): GatewayError =>
  new GatewayError('too_large', `The body is larger than limits.body (${max} bytes).`);
