/**
 * Every request a client can send, as data: who answers it, in which era it exists, and what it is about.
 * A method that is not here is refused with -32601.
 */
import type { Era, TargetKind } from '../model.ts';

export interface Method {
  readonly eras: readonly Era[];
  /**
   * `answered`: by the gateway itself. `merged`: from the lists of all upstreams. `forwarded`: to the one upstream
   * that owns the target.
   */
  readonly rule: 'answered' | 'merged' | 'forwarded';
  /** The capability that some upstream must have for this method to exist. */
  readonly capability?: string;
  /** merged: what is listed, and the member of the result that holds it. */
  readonly list?: { readonly kind: TargetKind; readonly member: string };
  /** forwarded: the member of `params` that names the target. */
  readonly target?: 'name' | 'uri' | 'ref';
  /** The result carries `ttlMs` and `cacheScope` in the modern era (2026-07-28, "Caching"). */
  readonly cacheable?: true;
}

const BOTH: readonly Era[] = ['legacy', 'modern'];
const LEGACY: readonly Era[] = ['legacy'];
const MODERN: readonly Era[] = ['modern'];

export const METHODS: Readonly<Record<string, Method>> = {
  __proto__: null as never,
  initialize: { eras: LEGACY, rule: 'answered' },
  'server/discover': { eras: MODERN, rule: 'answered', cacheable: true },
  ping: { eras: LEGACY, rule: 'answered' },
  'logging/setLevel': { eras: LEGACY, rule: 'answered', capability: 'logging' },
  'subscriptions/listen': { eras: MODERN, rule: 'answered' },
  'tools/list': { eras: BOTH, rule: 'merged', list: { kind: 'tool', member: 'tools' }, cacheable: true },
  'prompts/list': {
    eras: BOTH,
    rule: 'merged',
    list: { kind: 'prompt', member: 'prompts' },
    cacheable: true,
  },
  'resources/list': {
    eras: BOTH,
    rule: 'merged',
    list: { kind: 'resource', member: 'resources' },
    cacheable: true,
  },
  'resources/templates/list': {
    eras: BOTH,
    rule: 'merged',
    list: { kind: 'template', member: 'resourceTemplates' },
    cacheable: true,
  },
  'tools/call': { eras: BOTH, rule: 'forwarded', capability: 'tools', target: 'name' },
  'prompts/get': { eras: BOTH, rule: 'forwarded', capability: 'prompts', target: 'name' },
  'resources/read': {
    eras: BOTH,
    rule: 'forwarded',
    capability: 'resources',
    target: 'uri',
    cacheable: true,
  },
  'completion/complete': { eras: BOTH, rule: 'forwarded', capability: 'completions', target: 'ref' },
};
