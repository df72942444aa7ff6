/** Start-up and idle memory: fresh folders for cold starts, the same folder again for warm ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway, writeSetup, type StartTimes } from './gateway.ts';
import { residentBytes, type Processes } from './processes.ts';

export interface StartUp {
  readonly cold: readonly StartTimes[];
  readonly warm: readonly StartTimes[];
  /** Resident bytes, one second after the first call of each warm start; undefined where there is no /proc. */
  readonly idle: readonly (number | undefined)[];
}

const SETTLE = 1_000;

/** Starts the gateway cold and then, in the last folder, warm, as often as asked. */
export async function measureStartUp(
  processes: Processes,
  root: string,
  parent: string,
  upstream: string,
  times: { readonly cold: number; readonly warm: number },
): Promise<StartUp> {
  let setup = await writeSetup(root, parent, upstream);
  const cold: StartTimes[] = [];
  for (let index = 0; index < times.cold; index++) {
    if (index > 0) setup = await writeSetup(root, parent, upstream);
    const gateway = await startGateway(processes, root, setup);
    cold.push(gateway.times);
    await processes.stop(gateway);
  }
  const warm: StartTimes[] = [];
  const idle: (number | undefined)[] = [];
  for (let index = 0; index < times.warm; index++) {
    const gateway = await startGateway(processes, root, setup);
    warm.push(gateway.times);
    await sleep(SETTLE);
    idle.push(residentBytes(gateway.pid));
    await processes.stop(gateway);
  }
  return { cold, warm, idle };
}
