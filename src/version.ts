/** The version of the package, as it is told to peers. */
import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export const VERSION = version;
/** How the gateway names itself to both sides (`Implementation`). */
export const IDENTITY = { name: 'gatehouse', title: 'Gatehouse', version };
