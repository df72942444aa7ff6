/** The gateway in front of the fixture, transparent: one upstream, its own names, everything allowed, no limits. */
import { join } from 'node:path';
import { ROOT, startGateway } from '../e2e/kit.ts';
import type { Way } from './compare.ts';
import { serveHttp, type FixtureEra } from './fixture/http.ts';

/** A server that runs. */
export interface Open {
  readonly url: string;
  close(): Promise<void>;
}

/** Each way: the transport of the upstream, and the eras it speaks. */
const WAYS: Readonly<Record<Way, { readonly transport: 'http' | 'stdio'; readonly era: FixtureEra }>> = {
  'http legacy': { transport: 'http', era: 'legacy' },
  'http both': { transport: 'http', era: 'both' },
  'stdio legacy': { transport: 'stdio', era: 'legacy' },
  'stdio modern': { transport: 'stdio', era: 'modern' },
};
export const WAY_IDS = Object.keys(WAYS) as Way[];

/** Starts what the way needs; `close` ends all of it. */
export async function openWay(way: Way): Promise<Open> {
  const { transport, era } = WAYS[way];
  const fixture = transport === 'http' ? await serveHttp(era) : undefined;
  const main = join(ROOT, 'test/conformance/fixture/main.ts');
  const upstream = fixture
    ? { url: fixture.url }
    : { command: process.execPath, args: [main, '--stdio', '--era', era] };
  const gateway = await startGateway({
    yaml: `upstreams: ${JSON.stringify({ fixture: { ...upstream, prefix: '' } })}\n`,
  });
  return {
    url: gateway.url,
    async close() {
      await gateway.stop();
      await fixture?.close();
    },
  };
}
