/** The arrows between the rooms of src/, as a table. Imports of types alone are free: they are gone when the code runs. */
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LONGEST = 350;

interface Rule {
  /** Rooms, files at the root, or single files of a room, without `.ts`. */
  readonly may: readonly string[];
  /** Packages and parts of Node; absent = any. */
  readonly outside?: readonly string[];
  readonly because: string;
}

const LEAF = 'everybody imports it, so it imports nobody';

/** By room or file at the root of src/. */
const RULES: Readonly<Record<string, Rule>> = {
  model: { may: [], outside: [], because: 'the shared words are types only' },
  errors: { may: [], outside: [], because: LEAF },
  scalars: { may: [], because: LEAF },
  version: { may: [], because: LEAF },
  glob: { may: [], outside: [], because: LEAF },
  protocol: {
    may: ['errors'],
    outside: [],
    because: 'the protocol is pure: text and values in, text and values out, no sockets',
  },
  catalog: {
    may: ['errors', 'glob'],
    outside: ['node:crypto'],
    because: 'which name belongs to whom is decided from lists alone; the gateway brings them',
  },
  telemetry: { may: [], because: 'everybody tells it something; it asks nobody' },
  upstream: {
    may: ['errors', 'glob', 'protocol', 'telemetry', 'version'],
    because: 'a connection knows one server and nothing of policies, limits, audit or other servers',
  },
  policy: {
    may: ['errors', 'telemetry'],
    because: 'a decision depends on its input only; the gateway hands it over',
  },
  limits: { may: ['errors', 'glob', 'telemetry'], because: 'limits count; whom, the gateway says' },
  audit: {
    may: ['errors', 'telemetry'],
    because: 'a record is filled by the gateway; it must not depend on what it records',
  },
  config: {
    may: [
      'errors',
      'glob',
      'scalars',
      'version',
      'audit/kinds',
      'upstream/credentials/schema',
      'upstream/kinds',
      'upstream/streamable-http-schema',
    ],
    because: 'it joins the schemas of the kinds; what they do is started elsewhere, from typed pieces',
  },
  gateway: {
    may: ['errors', 'glob', 'audit', 'catalog', 'limits', 'policy', 'protocol', 'telemetry', 'upstream'],
    because:
      'it is the one place that knows the order of things, and knows no HTTP; raw configuration stops before it',
  },
  downstream: {
    may: ['errors', 'gateway', 'protocol', 'telemetry'],
    because: 'the side of the client reaches servers, policies and audit through the gateway only',
  },
  admin: {
    may: ['errors', 'gateway', 'telemetry'],
    because: 'the admin address shows what the gateway tells; it touches no part of it directly',
  },
  cli: {
    may: [
      ...[
        'admin',
        'audit',
        'config',
        'downstream',
        'errors',
        'gateway',
        'glob',
        'limits',
        'policy',
        'protocol',
      ],
      ...['scalars', 'telemetry', 'upstream', 'version'],
    ],
    because: 'it puts the parts together; nothing imports it',
  },
};

/** Path below src/, without `.ts` → its source. */
type Sources = ReadonlyMap<string, string>;

const IMPORT =
  /^(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** What a file imports when it runs: files as paths below src/, everything else by its name. */
function importsOf(file: string, source: string): string[] {
  const code = stripTypeScriptTypes(source);
  return [...code.matchAll(IMPORT)].map((found) => {
    const name = found[1] ?? found[2] ?? found[3] ?? '';
    return name.startsWith('.') ? join(dirname(file), name).replace(/\.(?:ts|js)$/, '') : name;
  });
}

const roomOf = (file: string): string => file.split('/')[0] ?? '';

function crossings(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) => {
    const rule = RULES[roomOf(file)];
    if (!rule) return [`src/${file}.ts is in no room of the table in this test`];
    return importsOf(file, source)
      .filter((name) => !isAllowed(rule, file, name, sources))
      .map((name) => `src/${file}.ts must not import ${name}: ${rule.because}`);
  });
}

function isAllowed({ may, outside }: Rule, file: string, name: string, sources: Sources): boolean {
  if (sources.has(name))
    return roomOf(name) === roomOf(file) || may.includes(roomOf(name)) || may.includes(name);
  return outside?.includes(name) ?? true;
}

/** Each cycle once, as the files on it. */
function cycles(sources: Sources): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  function visit(file: string, path: readonly string[]): void {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file) || path.includes(file)) return;
    for (const name of importsOf(file, sources.get(file)!))
      if (sources.has(name)) visit(name, [...path, file]);
    done.add(file);
  }
  for (const file of sources.keys()) visit(file, []);
  return found;
}

const tooLong = (sources: Sources): string[] =>
  [...sources]
    .filter(([, source]) => source.trimEnd().split('\n').length > LONGEST)
    .map(([file]) => `src/${file}.ts is longer than ${LONGEST} lines: it has more than one job`);

const SOURCES: Sources = new Map(
  globSync('**/*.ts', { cwd: join(ROOT, 'src') })
    .filter((file) => !file.endsWith('.d.ts'))
    .sort()
    .map((file) => [
      file.replace(/\.ts$/, '').replaceAll('\\', '/'),
      readFileSync(join(ROOT, 'src', file), 'utf8'),
    ]),
);

it('keeps every import within the arrows', () => {
  expect(crossings(SOURCES)).toEqual([]);
});

it('has no cycle', () => {
  expect(cycles(SOURCES)).toEqual([]);
});

it('has no file that is too long', () => {
  expect(tooLong(SOURCES)).toEqual([]);
});

it('has a rule for every room, and no rule too many', () => {
  expect(Object.keys(RULES).toSorted()).toEqual([...new Set([...SOURCES.keys()].map(roomOf))].toSorted());
});

it('would notice', () => {
  const planted: Sources = new Map([
    [
      'audit/record',
      "import type { Policy } from '../policy/policy.ts';\nimport {\n  a,\n  type B,\n} from '../policy/policy.ts';",
    ],
    ['policy/policy', "export { x } from './rego.ts';"],
    ['policy/rego', "import './policy.ts';\nconst later = await import('../config/load.ts');"],
    ['config/load', `import { y } from '../audit/record.ts';${'\n// line'.repeat(400)}`],
    ['protocol/lines', "import { connect } from 'node:net';"],
    ['elsewhere', ''],
  ]);
  expect(crossings(planted)).toEqual([
    'src/audit/record.ts must not import policy/policy: a record is filled by the gateway; it must not depend on what it records',
    'src/policy/rego.ts must not import config/load: a decision depends on its input only; the gateway hands it over',
    'src/config/load.ts must not import audit/record: it joins the schemas of the kinds; what they do is started elsewhere, from typed pieces',
    'src/protocol/lines.ts must not import node:net: the protocol is pure: text and values in, text and values out, no sockets',
    'src/elsewhere.ts is in no room of the table in this test',
  ]);
  expect(cycles(planted)).toEqual([
    'policy/policy → policy/rego → policy/policy',
    'audit/record → policy/policy → policy/rego → config/load → audit/record',
  ]);
  expect(tooLong(planted)).toEqual(['src/config/load.ts is longer than 350 lines: it has more than one job']);
});
