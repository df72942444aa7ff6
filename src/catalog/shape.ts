/**
 * Repairs definitions that typed clients would choke on: they refuse a whole list for one bad entry, and a merged list holds
 * the entries of every server. What is well-formed, known or not, stays as it is.
 */
import type { Json, JsonObject, TargetKind } from '../model.ts';
import { isRecord, own } from './definition.ts';

type Test = (value: Json) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isList: Test = (value) => Array.isArray(value) && value.every(isRecord);

/** Members that may be absent, but not have another form (2025-11-25 and 2026-07-28, schema). */
const OPTIONAL: Readonly<Record<string, Test>> = {
  title: isText,
  description: isText,
  mimeType: isText,
  annotations: isRecord,
  outputSchema: isRecord,
  execution: isRecord,
  arguments: isList,
  icons: isList,
  _meta: isRecord,
};

/** Members that have to be there, made where they are not. */
const REQUIRED: Readonly<Record<TargetKind, (definition: JsonObject) => JsonObject>> = {
  tool: ({ inputSchema }) =>
    isRecord(inputSchema) && inputSchema['type'] === 'object'
      ? {}
      : { inputSchema: { ...(isRecord(inputSchema) ? inputSchema : {}), type: 'object' } },
  prompt: () => ({}),
  resource: ({ name, uri }) => (isText(name ?? null) ? {} : { name: uri ?? '' }),
  template: ({ name, uriTemplate }) => (isText(name ?? null) ? {} : { name: uriTemplate ?? '' }),
};

export interface Repaired {
  readonly definition: JsonObject;
  /** The members that were left out or made. */
  readonly members: readonly string[];
}

export function repair(kind: TargetKind, definition: JsonObject): Repaired {
  const bad = Object.keys(definition).filter(
    (member) => own(OPTIONAL, member)?.(definition[member]!) === false,
  );
  const made = REQUIRED[kind](definition);
  const members = [...bad, ...Object.keys(made)];
  if (members.length === 0) return { definition, members };
  const kept = Object.entries(definition).filter(([member]) => !bad.includes(member));
  return { definition: { ...Object.fromEntries(kept), ...made }, members };
}
