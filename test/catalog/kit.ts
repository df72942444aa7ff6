/** Sources for catalogs, with what a test does not care about filled in. */
import { buildCatalog, type Catalog, type Ownership, type Source } from '../../src/catalog/catalog.ts';
import type { Naming } from '../../src/catalog/names.ts';
import type { JsonObject } from '../../src/model.ts';

export const NAMING: Naming = { separator: '__', maxLength: 64 };

interface Setup extends Partial<Omit<Source, 'id' | 'lists' | 'tools'>> {
  readonly rules?: Partial<Source['tools']>;
  /** Names or whole definitions. */
  readonly tools?: readonly (string | JsonObject)[];
  readonly prompts?: readonly (string | JsonObject)[];
  readonly resources?: readonly (string | JsonObject)[];
  readonly templates?: readonly (string | JsonObject)[];
}

function definitions(member: string, given: Setup['tools'] = []): JsonObject[] {
  return given.map((each) => (typeof each === 'string' ? { [member]: each } : each));
}

export function source(id: string, setup: Setup = {}): Source {
  const { rules, tools, prompts, resources, templates, ...rest } = setup;
  return {
    id,
    prefix: id,
    uris: [],
    trustAnnotations: false,
    tools: { allow: ['*'], deny: [], rename: {}, describe: {}, annotations: {}, ...rules },
    lists: {
      tool: definitions('name', tools).map((tool) => ({
        ...tool,
        inputSchema: tool['inputSchema'] ?? { type: 'object' },
      })),
      prompt: definitions('name', prompts),
      resource: definitions('uri', resources).map((resource) => ({ name: 'r', ...resource })),
      template: definitions('uriTemplate', templates).map((template) => ({ name: 't', ...template })),
    },
    ...rest,
  };
}

export function catalogOf(
  sources: readonly Source[],
  owners: Ownership = new Map(),
  naming: Naming = NAMING,
): Catalog {
  return buildCatalog(sources, naming, owners);
}

/** `upstream original` of what a name or URI leads to. */
export function tool(catalog: Catalog, name: string): string | undefined {
  const target = catalog.byName('tool', name)?.target;
  return target && `${target.upstream} ${target.name}`;
}

export function resource(catalog: Catalog, uri: string): string | undefined {
  const target = catalog.byUri(uri)?.target;
  return target && `${target.upstream} ${target.name}`;
}

export const exposed = (catalog: Catalog, kind: 'tool' | 'prompt' | 'resource' | 'template'): string[] =>
  catalog.entries[kind].map((entry) => entry.exposed);
