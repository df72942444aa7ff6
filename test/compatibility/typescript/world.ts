/** What the common servers on the TypeScript SDKs say and do; the Python and Go ones do the same. */
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export const URI = 'compat://greeting';
export const GREETING = 'Grüße an 世界';
export const QUESTION = 'What is your name?';
const NAMES = ['Ada', 'Adele', 'Bob'];

export const completed = (typed: string): string[] => NAMES.filter((name) => name.startsWith(typed));
export const greet = (name: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `Please greet ${name}` } }],
});
export const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
export const greeting = () => ({ contents: [{ uri: URI, text: GREETING }] });

/** Reports each step, and waits: a client may not hear what comes together with the answer. */
export async function count(steps: number, report: (progress: number) => Promise<void>): Promise<void> {
  for (let progress = 1; progress <= steps; progress++) {
    await report(progress);
    await pause(20);
  }
}

/** Ends when the call is cancelled; files beside `file` tell that it began and that it was. */
export async function wait(file: string, signal: AbortSignal): Promise<void> {
  writeFileSync(`${file}.started`, '');
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 20_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      writeFileSync(`${file}.cancelled`, '');
      resolve();
    });
  });
}
