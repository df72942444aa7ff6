/** Does a message answer a request of ours? The same question on every transport. */
import { textOf, type Slices } from '../protocol/slices.ts';
import { LinkError } from './link.ts';

/** The id of ours that a message answers. A string "7" is taken for our 7: some servers turn every id into a string. */
export function answeredId({ bytes, top }: Slices): number | undefined {
  const [, id] = /^"?([1-9]\d{0,15})"?$/.exec(textOf(bytes, top.get('id')) ?? '') ?? [];
  return id === undefined ? undefined : Number(id);
}

/** @returns why the answer is of no use: it must have either a `result` or an `error` (JSON-RPC 2.0, section 5). */
export function faultOf({ top }: Slices): LinkError | undefined {
  return top.has('result') === top.has('error')
    ? new LinkError('bad_answer', 'the answer must have either a result or an error')
    : undefined;
}
