/** Who gets a contested name is said by the order of the configuration, not by who starts faster. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startGateway } from './kit.ts';

const GROWING = fileURLToPath(new URL('../fixtures/growing.ts', import.meta.url));

it('the first in the configuration keeps the plain name, also when it starts last', async () => {
  const slow = `await new Promise((resolve) => setTimeout(resolve, 700)); await import(${JSON.stringify(GROWING)});`;
  const gateway = await startGateway({
    yaml: `upstreams:\n  first: { command: ${process.execPath}, args: ["--input-type=module", "-e", ${JSON.stringify(slow)}], prefix: "" }\n  second: { command: ${process.execPath}, args: [${GROWING}], prefix: "" }\n`,
  });
  try {
    const { catalog } = gateway.gateway.snapshot();
    expect(catalog.byName('tool', 'grow')?.target.upstream).toBe('first');
    expect(catalog.entries.tool.map(({ target, exposed }) => `${target.upstream} ${exposed}`)).toEqual([
      'first grow',
      'first progress',
      expect.stringMatching(/^second grow_[0-9a-f]{6}$/),
      expect.stringMatching(/^second progress_[0-9a-f]{6}$/),
    ]);
  } finally {
    await gateway.stop();
  }
});
