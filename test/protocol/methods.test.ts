/** The table of messages against the schemas of the official packages: nothing that a peer can send is forgotten. */
import * as modern from '@modelcontextprotocol/core';
import * as legacy from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import {
  CLIENT_NOTIFICATIONS,
  METHODS,
  REFUSED,
  SERVER_NOTIFICATIONS,
  SERVER_REQUESTS,
} from '../../src/protocol/methods.ts';
import { QUESTIONS } from '../../src/protocol/questions.ts';

/** A union of message schemas, as both packages export it. */
interface Union {
  readonly options: readonly { readonly shape: { readonly method: { readonly value: string } } }[];
}

const UNIONS = [
  'ClientRequestSchema',
  'ClientNotificationSchema',
  'ServerRequestSchema',
  'ServerNotificationSchema',
] as const;

const methodsOf = (schemas: Readonly<Record<string, unknown>>, union: (typeof UNIONS)[number]): string[] =>
  (schemas[union] as Union).options.map(({ shape }) => shape.method.value);

/** What the table says of the messages of each union; for clients' requests also those that are refused. */
const TABLE = {
  ClientRequestSchema: { ...METHODS, ...REFUSED },
  ClientNotificationSchema: CLIENT_NOTIFICATIONS,
  ServerRequestSchema: SERVER_REQUESTS,
  ServerNotificationSchema: SERVER_NOTIFICATIONS,
} as const;

/** Of the tasks extension, which has its own package and its own methods. */
const EXTENSION = ['tasks/get', 'tasks/update', 'tasks/cancel'];

describe.each(UNIONS)('%s', (union) => {
  it('has a rule for each of its methods', () => {
    const methods = new Set([...methodsOf(legacy, union), ...methodsOf(modern, union)]);
    expect(methods.size).toBeGreaterThan(3);
    expect(Object.keys(TABLE[union])).toEqual(expect.arrayContaining([...methods]));
  });

  it('has them in the era of the package that knows them', () => {
    const old = new Set(methodsOf(legacy, union));
    const added = methodsOf(modern, union).filter((method) => !old.has(method));
    const erasOf = (method: string): readonly string[] | undefined => {
      const row: unknown = (TABLE[union] as Record<string, unknown>)[method];
      return typeof row === 'object' ? (row as { eras: string[] }).eras : undefined;
    };
    expect([...old].filter((method) => erasOf(method)?.includes('legacy') === false)).toEqual([]);
    expect(added.filter((method) => (erasOf(method) ?? ['modern']).join() !== 'modern')).toEqual([]);
  });
});

it('has a rule for the methods of the tasks extension', () => {
  expect(Object.keys(REFUSED)).toEqual(expect.arrayContaining(EXTENSION));
  expect(SERVER_NOTIFICATIONS).toHaveProperty('notifications/tasks');
});

it('refuses nothing that it also serves, and invents no method', () => {
  const known = new Set([
    ...UNIONS.flatMap((union) => [...methodsOf(legacy, union), ...methodsOf(modern, union)]),
    ...EXTENSION,
    'notifications/tasks',
  ]);
  expect(Object.keys(REFUSED).filter((method) => method in METHODS)).toEqual([]);
  expect(Object.values(TABLE).flatMap((rows) => Object.keys(rows).filter((m) => !known.has(m)))).toEqual([]);
});

it('says why a message goes no further', () => {
  const rows = [CLIENT_NOTIFICATIONS, SERVER_REQUESTS, SERVER_NOTIFICATIONS].flatMap((table) =>
    Object.entries(table),
  );
  expect(rows.filter(([, { because }]) => because.length < 20)).toEqual([]);
});

it('translates the questions that can be asked, and no others', () => {
  const translated = Object.keys(SERVER_REQUESTS).filter(
    (method) => SERVER_REQUESTS[method]!.rule === 'translated',
  );
  expect(translated.sort()).toEqual(Object.keys(QUESTIONS).sort());
});
