/** What must hold between sections: a table of rules, each with the sections it reads. */
import { BlockList, isIP } from 'node:net';
import type { Address } from '../scalars.ts';
import { slug } from './host-servers.ts';
import type { Sections } from './schema.ts';

type Report = (path: (string | number)[], message: string) => void;

interface Rule {
  readonly reads: readonly (keyof Sections)[];
  readonly check: (file: Sections, report: Report) => void;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** True when only this machine can connect. */
export function isLoopback({ host }: Address): boolean {
  if (host === 'localhost') return true;
  return isIP(host) !== 0 && LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}

export const RULES: readonly Rule[] = [
  {
    reads: ['listen', 'auth'],
    check({ listen, auth }, report) {
      if (isLoopback(listen) || auth !== undefined) return;
      report(
        ['listen'],
        'not loopback, so callers must show who they are: add auth.apiKeys, or listen on 127.0.0.1',
      );
    },
  },
  {
    reads: ['listen', 'publicUrl'],
    check({ listen, publicUrl }, report) {
      if (isLoopback(listen) || publicUrl !== undefined) return;
      report(['listen'], 'not loopback, so publicUrl is needed: the URL that clients use');
    },
  },
  {
    reads: ['listen', 'admin'],
    check({ listen, admin }, report) {
      if (listen.port === 0 || listen.port !== admin.port || listen.host !== admin.host) return;
      report(['admin'], 'the same address as listen; the two are served apart');
    },
  },
  {
    reads: ['upstreams', 'mcpServers'],
    check({ upstreams, mcpServers }, report) {
      const taken = new Map(Object.keys(upstreams).map((id) => [id, `upstreams.${id}`]));
      for (const name of Object.keys(mcpServers)) {
        const id = slug(name);
        const other = taken.get(id);
        if (other !== undefined)
          report(['mcpServers', name], `its id is "${id}", as that of ${other}; rename one`);
        taken.set(id, `mcpServers[${JSON.stringify(name)}]`);
      }
    },
  },
  {
    reads: ['upstreams', 'mcpServers', 'naming'],
    check({ upstreams, mcpServers, naming: { separator } }, report) {
      const clash = (text: string | undefined) => text?.includes(separator) ?? false;
      const message = `holds the naming.separator "${separator}", which ends the prefix of exposed names`;
      for (const [id, { prefix }] of Object.entries(upstreams)) {
        if (clash(prefix)) report(['upstreams', id, 'prefix'], message);
        if (prefix === undefined && clash(id)) report(['upstreams', id], `the id ${message}`);
      }
      for (const name of Object.keys(mcpServers))
        if (clash(slug(name))) report(['mcpServers', name], `its id ${message}`);
    },
  },
  {
    reads: ['rateLimits', 'upstreams', 'mcpServers'],
    check({ rateLimits, upstreams, mcpServers }, report) {
      const ids = new Set([...Object.keys(upstreams), ...Object.keys(mcpServers).map(slug)]);
      rateLimits.forEach(({ match: { upstream } }, index) => {
        if (upstream === undefined || /[*?[\]{}!]/.test(upstream) || ids.has(upstream)) return;
        report(['rateLimits', index, 'match', 'upstream'], 'there is no upstream with this id');
      });
    },
  },
];
