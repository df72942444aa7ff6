/** What the gateway takes from a definition as an upstream listed it: the Target, with annotations that can be relied on. */
import { createHash } from 'node:crypto';
import type { Annotations, JsonObject, Target, TargetKind } from '../model.ts';
import type { Source } from './catalog.ts';

/** The specification's defaults (2025-03-26, `ToolAnnotations`): a tool that says nothing may do anything. */
const UNANNOTATED: Annotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** `name` is the upstream's own name, URI or template; the operator's annotations go before the server's. */
export function targetOf(source: Source, kind: TargetKind, name: string, definition: JsonObject): Target {
  const { title, annotations } = definition;
  const claims = isRecord(annotations) ? annotations : {};
  const said = {
    ...(source.trustAnnotations ? claims : {}),
    ...(kind === 'tool' ? own(source.tools.annotations, name) : {}),
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

/** A tool that can only be called as a task (2025-11-25, `execution.taskSupport`): nothing is listed that cannot be called. */
export function needsTask({ execution }: JsonObject): boolean {
  return isRecord(execution) && execution['taskSupport'] === 'required';
}

/** The definition with the URI of its MCP Apps view (`_meta.ui.resourceUri`) in the form that clients have to use. */
export function exposeUi(definition: JsonObject, expose: (uri: string) => string): JsonObject {
  const meta = definition['_meta'];
  const ui = isRecord(meta) ? meta['ui'] : undefined;
  if (!isRecord(meta) || !isRecord(ui) || typeof ui['resourceUri'] !== 'string') return definition;
  return { ...definition, _meta: { ...meta, ui: { ...ui, resourceUri: expose(ui['resourceUri']) } } };
}

/** A member of a map whose keys others choose: a tool may be called `constructor`. */
export function own<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
