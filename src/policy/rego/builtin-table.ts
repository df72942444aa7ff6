/** The table of builtins in docs/policy.md, made from the one in code; a test holds the two together. */
import { HOST_BUILTINS, LEFT_OUT, NATIVE_BUILTINS, NATIVE_NOTES } from './builtins.ts';

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function table(head: string, notes: Readonly<Record<string, string | undefined>>): string {
  const rows = Object.entries(notes).map(([name, note]) => `| \`${name}\` | ${note ?? ''} |`);
  return [`| ${head} | |`, '| --- | --- |', ...rows].join('\n');
}

/** Markdown: host builtins, native ones, their edges, and what is left out on purpose. */
export function builtinTable(): string {
  const given = Object.entries(HOST_BUILTINS).map(([name, { note, deterministic }]): [string, string] => {
    const uncached = deterministic ? [] : ['decisions are not cached'];
    return [name, [note ?? [], uncached].flat().join('; ')];
  });
  return [
    "Given by the gateway, and compared with OPA's evaluator in its tests:",
    table('builtin', Object.fromEntries(given)),
    `In the compiled module itself: ${list(NATIVE_BUILTINS)}.`,
    "Edges at which those differ from OPA's evaluator, which `policy test` uses:",
    table('builtin', NATIVE_NOTES),
    'Left out although the module has them:',
    table('builtin', LEFT_OUT),
  ].join('\n\n');
}
