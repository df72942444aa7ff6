/**
 * The immutable index: exposed name or URI ↔ Target, with the definition ready to be sent. Built anew from the lists of
 * all upstreams; who owned a name or URI first keeps it for as long as the gateway runs (`Ownership`).
 */
import { createHash } from 'node:crypto';
import { compileGlob } from '../glob.ts';
import type { Annotations, JsonObject, Target, TargetKind } from '../model.ts';
import { exposedName, hashedName, type Naming } from './names.ts';
import { fitsTemplate, mapUri, unmapUri } from './uris.ts';

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

/** Name or URI → the one that had it first, as `<kind> <upstream> <original>`. Lives longer than any catalog. */
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

/** The specification's defaults (2025-03-26, `ToolAnnotations`): a tool that says nothing may do anything. */
const UNANNOTATED: Annotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function buildCatalog(sources: readonly Source[], naming: Naming, owners: Ownership): Catalog {
  const builder = createBuilder(naming, owners);
  for (const source of sources) {
    for (const tool of source.lists.tool)
      if (isListed(source, tool['name'])) builder.addNamed(source, 'tool', tool);
    for (const prompt of source.lists.prompt) builder.addNamed(source, 'prompt', prompt);
    for (const resource of source.lists.resource) builder.addUri(source, 'resource', resource);
    for (const template of source.lists.template) builder.addUri(source, 'template', template);
  }
  return builder.finish(sources);
}

/** Deny wins; the globs are over original names. */
function isListed({ tools }: Source, name: unknown): boolean {
  return (
    typeof name === 'string' &&
    tools.allow.some((glob) => compileGlob(glob)(name)) &&
    !tools.deny.some((glob) => compileGlob(glob)(name))
  );
}

function createBuilder(naming: Naming, owners: Ownership) {
  const entries: Record<TargetKind, Entry[]> = { tool: [], resource: [], template: [], prompt: [] };
  const names = new Map<string, Entry>();
  const warnings: string[] = [];
  const seen = new Set<string>();

  /** Takes the wanted name unless another target has, or once had, it. */
  function claim(kind: string, wanted: string, identity: string): boolean {
    const key = `${kind} ${wanted}`;
    const owner = owners.get(key);
    if (owner === undefined) owners.set(key, identity);
    return owner === undefined || owner === identity;
  }

  function isRepeat(kind: TargetKind, { id }: Source, name: string): boolean {
    const identity = `${kind} ${id} ${name}`;
    if (seen.has(identity))
      warnings.push(`${id} lists the ${kind} ${JSON.stringify(name)} twice; the first is kept`);
    return seen.has(identity) || !seen.add(identity);
  }

  function addNamed(source: Source, kind: 'tool' | 'prompt', definition: JsonObject): void {
    const original = definition['name'];
    if (typeof original !== 'string' || original === '' || original.includes('\0')) {
      warnings.push(`${source.id} lists a ${kind} without a usable name; it is left out`);
      return;
    }
    if (isRepeat(kind, source, original)) return;
    const renamed = kind === 'tool' ? source.tools.rename[original] : undefined;
    const wanted = exposedName(source.prefix, source.id, renamed ?? original, naming);
    const hashed = hashedName(source.prefix, source.id, original, naming);
    const free = claim(kind, wanted, `${source.id} ${original}`);
    if (!free)
      warnings.push(
        `the ${kind} name "${wanted}" belongs to ${owners.get(`${kind} ${wanted}`) ?? 'another'}; that of ${source.id} is served as "${hashed}"`,
      );
    const exposed = free ? wanted : hashed;
    const described = kind === 'tool' ? source.tools.describe[original] : undefined;
    const shown = {
      ...definition,
      name: exposed,
      ...(described === undefined ? {} : { description: described }),
    };
    const entry: Entry = {
      target: targetOf(source, kind, original, definition),
      exposed,
      text: JSON.stringify(exposeUi(source, shown)),
    };
    entries[kind].push(entry);
    names.set(`${kind} ${exposed}`, entry);
    // The hashed form resolves for every target; a plain name of the same spelling goes first.
    if (!names.has(`${kind} ${hashed}`)) names.set(`${kind} ${hashed}`, entry);
  }

  function addUri(source: Source, kind: 'resource' | 'template', definition: JsonObject): void {
    const member = kind === 'resource' ? 'uri' : 'uriTemplate';
    const original = definition[member];
    if (typeof original !== 'string' || original === '' || original.includes('\0')) {
      warnings.push(`${source.id} lists a ${kind} without a usable URI; it is left out`);
      return;
    }
    if (isRepeat(kind, source, original)) return;
    const unchanged =
      ownsByConfiguration(source, original) || (!isUi(original) && claim('uri', original, source.id));
    if (!unchanged && !isUi(original))
      warnings.push(
        `the URI ${original} belongs to ${owners.get(`uri ${original}`) ?? 'another'}; that of ${source.id} is served as ${mapUri(source.id, original)}`,
      );
    const exposed = unchanged ? original : mapUri(source.id, original);
    const entry: Entry = {
      target: targetOf(source, kind, original, definition),
      exposed,
      text: JSON.stringify({ ...definition, [member]: exposed }),
    };
    entries[kind].push(entry);
    const key = `${kind} ${exposed}`;
    if (!names.has(key)) names.set(key, entry);
  }

  function finish(sources: readonly Source[]): Catalog {
    const ids = new Map(sources.map((source) => [source.id, source]));

    function exposeUri(upstream: string, uri: string): string {
      const source = ids.get(upstream);
      if (source && ownsByConfiguration(source, uri)) return uri;
      const entry = names.get(`resource ${uri}`);
      return entry?.target.upstream === upstream && entry.target.name === uri ? uri : mapUri(upstream, uri);
    }

    /** A URI of one upstream that is listed there, or fits one of its templates. */
    function within(upstream: string, uri: string): Entry | undefined {
      const listed = entries.resource.find(
        ({ target }) => target.upstream === upstream && target.name === uri,
      );
      return (
        listed ??
        derive(
          entries.template.find(
            ({ target }) => target.upstream === upstream && fitsTemplate(target.name, uri),
          ),
          uri,
        ) ??
        handedOut(ids.get(upstream), uri)
      );
    }

    function byUri(uri: string): Entry | undefined {
      const listed = names.get(`resource ${uri}`);
      if (listed) return listed;
      const mapped = unmapUri(uri, (id) => ids.has(id));
      if (mapped) return within(mapped.upstream, mapped.uri);
      const owner = sources.find((source) => ownsByConfiguration(source, uri));
      if (owner) return within(owner.id, uri);
      return derive(
        entries.template.find(({ exposed }) => fitsTemplate(exposed, uri)),
        uri,
      );
    }

    const digest = Object.fromEntries(
      Object.entries(entries).map(([kind, list]) => [kind, sha256(list.map(({ text }) => text).join('\n'))]),
    );
    return {
      entries,
      byName: (kind, name) => names.get(`${kind} ${name}`),
      byUri,
      byTemplate: (uri) => names.get(`template ${uri}`),
      exposeUri,
      warnings,
      digest: digest as Catalog['digest'],
    };
  }

  return { addNamed, addUri, finish };
}

const isUi = (uri: string): boolean => uri.startsWith('ui://');

/** `prefix: ""` leaves a server's URIs alone; `uris` names those that are its own. */
function ownsByConfiguration({ prefix, uris }: Source, uri: string): boolean {
  return prefix === '' || (!isUi(uri) && uris.some((glob) => compileGlob(glob)(uri)));
}

/** A resource read through a template is a target of its own, with the URI that was asked for. */
function derive(template: Entry | undefined, uri: string): Entry | undefined {
  if (!template) return undefined;
  const { exposed } = template;
  return { ...template, exposed, target: { ...template.target, kind: 'resource', name: uri } };
}

/** A link in a result may lead to what no list names: its mapped form says whose it is, the policy sees the URI. */
function handedOut(source: Source | undefined, uri: string): Entry | undefined {
  return (
    source && {
      exposed: mapUri(source.id, uri),
      text: '',
      target: targetOf(source, 'resource', uri, { uri }),
    }
  );
}

function targetOf(source: Source, kind: TargetKind, name: string, definition: JsonObject): Target {
  const { title, annotations } = definition;
  const claims = isRecord(annotations) ? annotations : {};
  const said = {
    ...(source.trustAnnotations ? claims : {}),
    ...(kind === 'tool' ? source.tools.annotations[name] : {}),
  };
  return {
    upstream: source.id,
    kind,
    name,
    ...(typeof title === 'string' ? { title } : {}),
    digest: sha256(JSON.stringify(definition)),
    annotations: annotationsFrom(said),
    claims,
  };
}

function annotationsFrom(said: JsonObject): Annotations {
  const hint = (name: keyof Annotations): boolean =>
    typeof said[name] === 'boolean' ? said[name] : UNANNOTATED[name];
  return {
    readOnlyHint: hint('readOnlyHint'),
    destructiveHint: hint('destructiveHint'),
    idempotentHint: hint('idempotentHint'),
    openWorldHint: hint('openWorldHint'),
  };
}

/** `_meta.ui.resourceUri` of MCP Apps points to a resource of the same upstream. */
function exposeUi(source: Source, definition: JsonObject): JsonObject {
  const meta = definition['_meta'];
  const ui = isRecord(meta) ? meta['ui'] : undefined;
  if (!isRecord(meta) || !isRecord(ui) || typeof ui['resourceUri'] !== 'string') return definition;
  const uri = ui['resourceUri'];
  return {
    ...definition,
    _meta: {
      ...meta,
      ui: { ...ui, resourceUri: ownsByConfiguration(source, uri) ? uri : mapUri(source.id, uri) },
    },
  };
}

const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
