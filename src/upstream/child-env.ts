/** The environment of a child process: a minimal base, what the operator passes on, what the operator adds. */
import { compileGlob } from '../glob.ts';

/** What programs need to find themselves and their files; none of it is a secret. */
const BASE =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'COMSPEC',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'TMP',
        'USERNAME',
        'USERPROFILE',
        'PROGRAMFILES',
      ]
    : ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'];

/** Only Windows takes `Path` for `PATH`. */
const fold = (name: string): string => (process.platform === 'win32' ? name.toUpperCase() : name);

/** `patterns` are names or globs with `*`; nothing else of the gateway's environment reaches the child. */
export function childEnv(
  environment: Readonly<Record<string, string | undefined>>,
  patterns: readonly string[],
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const globs = patterns.map(compileGlob);
  const passed = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (BASE.includes(fold(entry[0])) || globs.some((fits) => fits(entry[0]))),
  );
  return { ...Object.fromEntries(passed), ...added };
}
