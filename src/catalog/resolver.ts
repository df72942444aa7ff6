/**
 * Whose is a URI? Configuration decides first, then who listed it first; what no list names is found by its mapped form
 * or by a template. A URI in doubt is nobody's: never the text of one server under the URI of another.
 */
import { compileGlob } from '../glob.ts';
import type { Entry, Ownership, Source } from './catalog.ts';
import { targetOf } from './definition.ts';
import { fitsTemplate, isUi, mapUri, unmapUri } from './uris.ts';

export interface Resolver {
  /** May this upstream's URI go downstream unchanged, if no other has it? */
  mayPass(source: Source, uri: string): boolean;
  /** The upstream that has the URI in its plain form, by configuration or because it listed it first. */
  ownerOf(uri: string): string | undefined;
  byUri(uri: string): Entry | undefined;
  exposeUri(upstream: string, uri: string): string;
}

/** `entries` and `index` may still grow: they are read when a question is asked. */
export function createResolver(
  sources: readonly Source[],
  entries: Readonly<Record<'resource' | 'template', readonly Entry[]>>,
  index: ReadonlyMap<string, Entry>,
  owners: Ownership,
): Resolver {
  const ids = new Map(sources.map((source) => [source.id, source]));
  const unprefixed = sources.filter(({ prefix }) => prefix === '');
  /** With one upstream without a prefix, every plain URI that no list names is its own. */
  const sole = unprefixed.length === 1 ? unprefixed[0] : undefined;
  const claims = sources.map((source) => ({ source, globs: source.uris.map(compileGlob) }));
  const unmap = (uri: string) => unmapUri(uri, (id) => ids.has(id));

  /** `uris` names the URIs that are an upstream's own; `prefix: ""` leaves all of them alone. */
  function configuredOwner(uri: string): Source | undefined {
    const named = isUi(uri) ? undefined : claims.find(({ globs }) => globs.some((fits) => fits(uri)));
    return named?.source ?? sole;
  }

  function mayPass(source: Source, uri: string): boolean {
    // What looks like a mapped form has to lead where a mapped form leads.
    if (unmap(uri)) return false;
    const owner = configuredOwner(uri);
    return owner ? owner === source : source.prefix === '' || !isUi(uri);
  }

  const ownerOf = (uri: string): string | undefined =>
    owners.get(`uri ${uri}`) ?? (unmap(uri) ? undefined : configuredOwner(uri)?.id);

  /** A URI passes unchanged when reading it as it is would lead back to this upstream and to nothing else. */
  function exposeUri(upstream: string, uri: string): string {
    const found = byUri(uri)?.target;
    return found?.upstream === upstream && found.name === uri ? uri : mapUri(upstream, uri);
  }

  function byUri(uri: string): Entry | undefined {
    const listed = index.get(`resource ${uri}`);
    if (listed) return listed;
    const mapped = unmap(uri);
    if (mapped) return within(ids.get(mapped.upstream)!, mapped.uri);
    const owner = configuredOwner(uri);
    if (owner) return ownerOf(uri) === owner.id ? within(owner, uri) : undefined;
    return byTemplateOfOne(uri);
  }

  /** A URI of one upstream: listed there, fitting one of its templates, or handed out in a result. */
  function within(source: Source, uri: string): Entry {
    const listed = entries.resource.find(
      ({ target }) => target.upstream === source.id && target.name === uri,
    );
    const template = entries.template.find(
      ({ target }) => target.upstream === source.id && fitsTemplate(target.name, uri),
    );
    return listed ?? (template ? derive(template, uri) : handedOut(source, uri));
  }

  /** Two upstreams whose templates fit are a doubt; their mapped forms are none. */
  function byTemplateOfOne(uri: string): Entry | undefined {
    const fitting = entries.template.filter(({ exposed }) => fitsTemplate(exposed, uri));
    const upstreams = new Set(fitting.map(({ target }) => target.upstream));
    const [template] = fitting;
    const owner = ownerOf(uri) ?? template?.target.upstream;
    return template && upstreams.size === 1 && template.target.upstream === owner
      ? derive(template, uri)
      : undefined;
  }

  return { mayPass, ownerOf, byUri, exposeUri };
}

/** A resource read through a template is a target of its own, with the URI that was asked for. */
function derive(template: Entry, uri: string): Entry {
  return { ...template, target: { ...template.target, kind: 'resource', name: uri } };
}

/** A link in a result may lead to what no list names: its mapped form says whose it is, the policy sees the URI. */
function handedOut(source: Source, uri: string): Entry {
  return { exposed: mapUri(source.id, uri), text: '', target: targetOf(source, 'resource', uri, { uri }) };
}
