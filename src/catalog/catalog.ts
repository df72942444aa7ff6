/**
 * The immutable index: exposed name or URI ↔ Target, with the definition ready to be sent. Built anew from the lists of
 * all upstreams; who owned a name or URI first keeps it for as long as the gateway runs (`Ownership`).
 */
import { compileGlob } from '../glob.ts';
import type { JsonObject, Target, TargetKind } from '../model.ts';
import { exposeUi, own, sha256, targetOf, needsTask } from './definition.ts';
import { exposedName, hashedName, type Naming } from './names.ts';
import { createResolver, type Resolver } from './resolver.ts';
import { repair } from './shape.ts';
import { isUi, mapUri, MAX_URI } from './uris.ts';

/** What the catalog needs to know of one upstream: its rules from the configuration, its definitions as listed. */
export interface Source {
  readonly id: string;
  readonly prefix: string;
  readonly uris: readonly string[];
  readonly trustAnnotations: boolean;
  readonly tools: {
    readonly allow: readonly string[];
    readonly deny: readonly string[];
    readonly rename: Readonly<Record<string, string>>;
    readonly describe: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  };
  readonly lists: Readonly<Record<TargetKind, readonly JsonObject[]>>;
}

export interface Entry {
  readonly target: Target;
  readonly exposed: string;
  /** The definition as clients see it, serialised. */
  readonly text: string;
}

/**
 * `<kind> <name>` → upstream and original name of the one that had it first; `uri <uri>` → upstream. Lives longer than any
 * catalog.
 */
export type Ownership = Map<string, string>;

export interface Catalog {
  /** In the order of the configuration, then of the upstream: the same for everybody. */
  readonly entries: Readonly<Record<TargetKind, readonly Entry[]>>;
  /** A tool or prompt by exposed or hashed name. */
  byName(kind: 'tool' | 'prompt', name: string): Entry | undefined;
  /** A resource by exposed URI, mapped form or template; the target carries the upstream's own URI. */
  byUri(uri: string): Entry | undefined;
  /** A template by its exposed form, as completion names it. */
  byTemplate(uri: string): Entry | undefined;
  /** A URI that an upstream handed out, as clients have to write it. */
  exposeUri(upstream: string, uri: string): string;
  /** Names and URIs that could not be given as asked, for the operator. */
  readonly warnings: readonly string[];
  /** Changes when, and only when, something a client can see has changed. */
  readonly digest: Readonly<Record<TargetKind, string>>;
}

/** Upstreams can list new names for ever; what is beyond this is left out. */
const MAX_OWNED = 500_000;
const MAX_NAME = 1_024;

export function buildCatalog(sources: readonly Source[], naming: Naming, owners: Ownership): Catalog {
  const entries: Record<TargetKind, Entry[]> = { tool: [], resource: [], template: [], prompt: [] };
  /** `<kind> <exposed name, hashed name or URI>` → what it means. */
  const index = new Map<string, Entry>();
  const warnings: string[] = [];
  const add = createAdder({ entries, index, warnings, naming, owners });
  const resolver = createResolver(sources, entries, index, owners);
  // URIs first: a tool may point to one.
  for (const source of sources) {
    for (const resource of source.lists.resource) add.uri(source, 'resource', resource, resolver);
    for (const template of source.lists.template) add.uri(source, 'template', template, resolver);
  }
  for (const source of sources) {
    const expose = (uri: string): string => resolver.exposeUri(source.id, uri);
    const isListed = listing(source);
    for (const tool of source.lists.tool) {
      if (!isListed(tool['name'])) continue;
      if (needsTask(tool))
        warnings.push(
          `${source.id} runs the tool ${JSON.stringify(tool['name'])} as a task only, which is not offered here; it is left out`,
        );
      else add.named(source, 'tool', tool, expose);
    }
    for (const prompt of source.lists.prompt) add.named(source, 'prompt', prompt, expose);
  }
  return {
    entries,
    byName: (kind, name) => index.get(`${kind} ${name}`),
    byUri: resolver.byUri,
    byTemplate: (uri) => index.get(`template ${uri}`),
    exposeUri: resolver.exposeUri,
    warnings,
    digest: digestOf(entries),
  };
}

/** Deny wins; the globs are over original names. */
function listing({ tools }: Source): (name: unknown) => boolean {
  const allow = tools.allow.map(compileGlob);
  const deny = tools.deny.map(compileGlob);
  return (name) =>
    typeof name === 'string' && allow.some((fits) => fits(name)) && !deny.some((fits) => fits(name));
}

function digestOf(entries: Catalog['entries']): Catalog['digest'] {
  const digest = (kind: TargetKind): string => sha256(entries[kind].map(({ text }) => text).join('\n'));
  return {
    tool: digest('tool'),
    resource: digest('resource'),
    template: digest('template'),
    prompt: digest('prompt'),
  };
}

interface Building {
  readonly entries: Readonly<Record<TargetKind, Entry[]>>;
  readonly index: Map<string, Entry>;
  readonly warnings: string[];
  readonly naming: Naming;
  readonly owners: Ownership;
}

function createAdder({ entries, index, warnings, naming, owners }: Building) {
  const seen = new Set<string>();

  /** Takes the name unless another target has, or once had, it. */
  function claim(key: string, identity: string): boolean {
    const owner = owners.get(key);
    if (owner !== undefined) return owner === identity;
    if (owners.size >= MAX_OWNED) return false;
    owners.set(key, identity);
    return true;
  }

  /** The name or URI by which an upstream knows it; undefined when there is none, or it was there before. */
  function originalOf({ id }: Source, kind: TargetKind, name: unknown, longest: number): string | undefined {
    if (typeof name !== 'string' || name === '' || name.length > longest || name.includes('\0')) {
      warnings.push(`${id} lists a ${kind} without a usable name; it is left out`);
      return undefined;
    }
    const identity = `${kind} ${id} ${name}`;
    if (!seen.has(identity)) return (seen.add(identity), name);
    warnings.push(`${id} lists the ${kind} ${JSON.stringify(name)} twice; the first is kept`);
    return undefined;
  }

  /** The definition as clients can read it. */
  function sound({ id }: Source, kind: TargetKind, original: string, given: JsonObject): JsonObject {
    const { definition, members } = repair(kind, given);
    if (members.length > 0)
      warnings.push(
        `${id} lists the ${kind} ${JSON.stringify(original)} with an unusable ${members.join(', ')}; it is served without that`,
      );
    return definition;
  }

  function named(
    source: Source,
    kind: 'tool' | 'prompt',
    definition: JsonObject,
    expose: (uri: string) => string,
  ): void {
    const original = originalOf(source, kind, definition['name'], MAX_NAME);
    if (original === undefined) return;
    const renamed = kind === 'tool' ? own(source.tools.rename, original) : undefined;
    const wanted = exposedName(source.prefix, source.id, renamed ?? original, naming);
    const hashed = hashedName(source.prefix, source.id, original, naming);
    // Both at once: the hashed form resolves for every target, and so may never become the name of another.
    const claimed = [wanted, hashed].filter((name) => claim(`${kind} ${name}`, `${source.id} ${original}`));
    const [exposed] = claimed;
    if (exposed !== wanted) warnings.push(collision(kind, wanted, source.id, exposed));
    if (exposed === undefined) return;
    const described = kind === 'tool' ? own(source.tools.describe, original) : undefined;
    const shown = {
      ...sound(source, kind, original, definition),
      name: exposed,
      ...(described === undefined ? {} : { description: described }),
    };
    const target = targetOf(source, kind, original, definition);
    const entry: Entry = { target, exposed, text: JSON.stringify(exposeUi(shown, expose)) };
    entries[kind].push(entry);
    for (const name of claimed) index.set(`${kind} ${name}`, entry);
  }

  function collision(kind: string, wanted: string, id: string, served: string | undefined): string {
    const owner = owners.get(`${kind} ${wanted}`) ?? 'another';
    const instead = served === undefined ? 'is left out' : `is served as "${served}"`;
    return `the ${kind} name "${wanted}" belongs to ${owner}; that of ${id} ${instead}`;
  }

  function uri(
    source: Source,
    kind: 'resource' | 'template',
    definition: JsonObject,
    { mayPass, ownerOf }: Resolver,
  ): void {
    const member = kind === 'resource' ? 'uri' : 'uriTemplate';
    const original = originalOf(source, kind, definition[member], MAX_URI);
    if (original === undefined) return;
    const unchanged = mayPass(source, original) && claim(`uri ${original}`, source.id);
    const exposed = unchanged ? original : mapUri(source.id, original);
    if (!unchanged && !isUi(original))
      warnings.push(
        `the URI ${original} belongs to ${ownerOf(original) ?? 'another'}; that of ${source.id} is served as ${exposed}`,
      );
    const target = targetOf(source, kind, original, definition);
    const entry: Entry = {
      target,
      exposed,
      text: JSON.stringify({ ...sound(source, kind, original, definition), [member]: exposed }),
    };
    entries[kind].push(entry);
    index.set(`${kind} ${exposed}`, entry);
  }

  return { named, uri };
}
