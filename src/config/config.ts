/** The typed, frozen form of gateway.yaml: what every other folder sees of it. Durations in ms, sizes in bytes. */
import type { SinkConfig } from '../audit/kinds.ts';
import type { CredentialPiece } from '../upstream/credentials/schema.ts';
import type { TransportPiece } from '../upstream/kinds.ts';
import type { Address, Rate } from '../scalars.ts';

/** What every upstream has, whatever its transport. */
export interface UpstreamCommon {
  readonly id: string;
  /** The name as written under `mcpServers`, when it differs from the id. */
  readonly title?: string | undefined;
  readonly credentials?: CredentialPiece | undefined;
  readonly timeout: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly trustAnnotations: boolean;
  /** `shared`: one process or connection for all callers, who then cannot be asked. Else callers who can be asked get their own. */
  readonly instances?: 'shared' | undefined;
  /** Default: the id. Empty: names and URIs unchanged. */
  readonly prefix: string;
  /** In place of the server's own `instructions`; empty: none are passed on. */
  readonly instructions?: string | undefined;
  /** URIs (globs) whose owner is this upstream by configuration. */
  readonly uris: readonly string[];
  readonly tools: ToolRules;
}

export interface ToolRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Original name → exposed name without the prefix. */
  readonly rename: Readonly<Record<string, string>>;
  readonly describe: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
}

export type UpstreamConfig = UpstreamCommon & TransportPiece;

export interface ApiKeyConfig {
  readonly id: string;
  /** Lower-case hex of SHA-256 over the key. */
  readonly sha256: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly tenant?: string | undefined;
}

export interface RateLimitConfig {
  readonly name: string;
  readonly key: readonly ('principal' | 'tenant' | 'upstream' | 'tool')[];
  /** Globs over original names; a rule without `upstream` or `tool` also counts requests without a target. */
  readonly match: { readonly upstream?: string | undefined; readonly tool?: string | undefined };
  readonly limit: Rate;
  readonly burst?: number | undefined;
}

export interface Config {
  /** Absolute path of the file this came from, and its folder: relative paths count from there. */
  readonly file: string;
  readonly dir: string;
  readonly listen: Address;
  readonly admin: Address;
  readonly publicUrl?: string | undefined;
  /** Serve the HTTP+SSE transport of the first revision too. */
  readonly legacySse: boolean;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly shutdown: { readonly grace: number };
  readonly limits: {
    readonly body: number;
    readonly depth: number;
    readonly sessions: number;
    readonly streams: number;
    readonly result: number;
    /** Idle time after which a session ends. */
    readonly sessionIdle: number;
  };
  readonly upstreams: readonly UpstreamConfig[];
  readonly naming: { readonly separator: string; readonly maxLength: number };
  readonly auth?: { readonly apiKeys: readonly ApiKeyConfig[] } | undefined;
  readonly policy: {
    readonly mode: 'enforce' | 'off';
    /** Absolute. */
    readonly paths: readonly string[];
    readonly deadline: number;
    /** Longest wait for a free worker; longer is answered as overloaded. */
    readonly queue: number;
    readonly maxInput: number;
  };
  readonly rateLimits: readonly RateLimitConfig[];
  readonly audit: {
    readonly sinks: readonly SinkConfig[];
    /** none, keys only, masked values of fields named like secrets, or full. */
    readonly arguments: 'none' | 'keys' | 'masked' | 'full';
    /** Records a sink may hold before new ones are dropped and counted. */
    readonly queue: number;
  };
  readonly state: { readonly dir: string };
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error' };
  /** Things an operator should know that are no errors (ignored host members, …), already written as sentences. */
  readonly warnings: readonly string[];
}
