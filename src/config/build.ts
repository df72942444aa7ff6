/** Builds the Config out of the parsed file: absolute paths, ids, defaults that depend on other values, warnings. */
import { resolve } from 'node:path';
import type { Address } from '../scalars.ts';
import type { SinkConfig } from '../audit/kinds.ts';
import type { Config, UpstreamConfig } from './config.ts';
import { slug } from './host-servers.ts';
import { isLoopback } from './rules.ts';
import type { Sections } from './schema.ts';
import type { UpstreamPiece } from './upstream-schema.ts';

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

interface Origin {
  readonly file: string;
  readonly dir: string;
}

/** `from` says where the file is; `warnings` are those of the earlier steps. */
export function build(sections: Sections, from: Origin, warnings: readonly string[]): Config {
  const { dir } = from;
  const { version: _version, workers: _workers, mcpServers, ...rest } = sections;
  const upstreams = [
    ...Object.entries(sections.upstreams).map(([id, piece]) => toUpstream(dir, id, piece)),
    ...Object.entries(mcpServers).map(([name, piece]) => toUpstream(dir, slug(name), piece, name)),
  ];
  return {
    ...rest,
    ...from,
    hosts: hostsOf(sections),
    upstreams,
    policy: { ...sections.policy, paths: sections.policy.paths.map((path) => resolve(dir, path)) },
    audit: { ...sections.audit, sinks: sections.audit.sinks.map((sink) => toSink(dir, sink)) },
    state: { dir: resolve(dir, sections.state.dir) },
    warnings: [...warnings, ...doubts(sections, upstreams)],
  };
}

function toUpstream(dir: string, id: string, piece: UpstreamPiece, name = id): UpstreamConfig {
  const { prefix = id, ...rest } = piece;
  const title = name === id ? {} : { title: name };
  const common = { id, prefix, ...title };
  return rest.transport === 'stdio'
    ? { ...rest, ...common, cwd: resolve(dir, rest.cwd ?? '.') }
    : { ...rest, ...common };
}

function toSink(dir: string, sink: SinkConfig): SinkConfig {
  return sink.type === 'file' ? { ...sink, path: resolve(dir, sink.path) } : sink;
}

function hostsOf({ hosts, publicUrl, listen }: Sections): string[] {
  if (hosts !== undefined) return hosts.map((host) => host.toLowerCase());
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return [...new Set([...own, ...(isLoopback(listen) ? LOOPBACK_NAMES : [])])];
}

/** What works as written, but is seldom meant. */
function doubts({ admin, policy, audit }: Sections, upstreams: readonly UpstreamConfig[]): string[] {
  const openAdmin = `admin: whoever reaches ${hostAndPort(admin)} can read metrics and status; keep it off public networks.`;
  return [
    ...(isLoopback(admin) ? [] : [openAdmin]),
    ...(policy.mode === 'off' ? ['policy.mode: off allows every call.'] : []),
    ...(audit.sinks.length === 0 ? ['audit.sinks is empty: no call is recorded.'] : []),
    ...(upstreams.length === 0 ? ['There are no upstreams: clients will see an empty server.'] : []),
  ];
}

function hostAndPort({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
