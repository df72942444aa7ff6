/** Writes schema/gateway.schema.json and docs/configuration.md from the zod schema of gateway.yaml. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { z } from 'zod';
import { schema } from '../src/config/schema.ts';

/** The part of JSON Schema that zod writes for this schema. */
interface Node {
  type?: string;
  title?: string;
  description?: string;
  pattern?: string;
  format?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  required?: string[];
  items?: Node;
  oneOf?: Node[];
  anyOf?: Node[];
  properties?: Record<string, Node>;
  propertyNames?: Node;
  additionalProperties?: Node | boolean;
}

const root = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
export const SCHEMA_FILE = root('schema/gateway.schema.json');
export const REFERENCE_FILE = root('docs/configuration.md');

const REFERENCE = '\\$\\{|';

/** An editor must not underline a text that is still a reference, whose form only the gateway can check. */
function allowReference(node: Node): void {
  if (node.format === 'uri') {
    node.pattern = '^https?://';
    delete node.format;
  }
  // A node inside wrappers comes along once for each.
  if (node.pattern?.startsWith(REFERENCE) === false) node.pattern = REFERENCE + node.pattern;
}

export function jsonSchema(): Node {
  const generated = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7', // what editors know best
    override: ({ jsonSchema: node, path }) => {
      if (!path.includes('propertyNames')) allowReference(node as Node);
    },
  });
  return { ...generated, title: 'Gatehouse configuration' } as Node;
}

export function schemaText(): string {
  return `${JSON.stringify(jsonSchema(), null, 2)}\n`;
}

const INTRODUCTION = `<!-- Written by scripts/schema.ts from the schema; change the descriptions there, then run \`npm run build:schema\`. -->

# Configuration

Gatehouse reads one YAML 1.2 file, \`gateway.yaml\` or that of \`--config\`. \`gatehouse check\` lists every problem of a file
with its line and column. A key that is not on this page is an error, at any depth. Relative paths count from the folder of
the file.

Durations are written \`250ms\`, \`30s\`, \`5m\`, \`1h\` or \`7d\`; sizes \`512B\`, \`64KiB\`, \`4MiB\` or \`1GiB\`; rates \`10/s\`, \`60/m\` or
\`1000/h\`; addresses \`127.0.0.1:8080\` or \`[::1]:8080\`.

## References

Any text may hold references. They are resolved when the file is read; a value that comes from one, and every literal credential,
is kept out of logs, audit and errors.

| Written | Stands for |
| --- | --- |
| \`\${env:NAME}\` or \`\${NAME}\` | the environment variable; not set or empty is an error |
| \`\${env:NAME:-default}\` or \`\${NAME:-default}\` | the variable, or the default when it is not set or empty |
| \`\${file:/path}\` | the content of the file without its last line break; readable by everyone gives a warning |
| \`\${workspaceFolder}\` | the folder of the configuration file |
| \`$\${\` | the two characters \`\${\` |
`;

/** Keys whose page would repeat itself, or whose names are free. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  upstreams: 'ID',
  mcpServers: 'NAME',
  annotations: 'TOOL',
};

/** The nodes one level down that have keys of their own, with the heading each gets. */
function inner(path: string, node: Node): [string, Node][] {
  const name = path.split('.').at(-1) ?? '';
  if (node.items) return inner(path, node.items);
  if (node.oneOf) return node.oneOf.map((option) => [path, option]);
  if (node.properties) return [[path, node]];
  const values = node.additionalProperties;
  return typeof values === 'object' ? inner(`${path}.${PLACEHOLDERS[name] ?? 'NAME'}`, values) : [];
}

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

function kind(node: Node): string {
  if (node.const !== undefined) return code(node.const);
  if (node.enum) return node.enum.map(code).join(', ');
  if (node.items) return `list of ${node.items.enum ? kind(node.items) : plural(kind(node.items))}`;
  if (node.anyOf) return node.anyOf.map(kind).join(', ');
  if (node.properties || node.oneOf || node.type === 'object') return 'map';
  if (node.type === 'string') return node.title ?? (node.pattern?.includes('https?') ? 'URL' : 'text');
  return (
    { boolean: '`true`, `false`', integer: 'whole number', number: 'number' }[node.type ?? ''] ?? 'anything'
  );
}

function plural(noun: string): string {
  return noun === 'text' ? 'texts' : `${noun}s`;
}

/** A map written as `{}` only says that its own keys have defaults. */
function fallback(node: Node, required: boolean): string {
  if (required) return 'required';
  return node.default === undefined || (JSON.stringify(node.default) === '{}' && node.properties)
    ? ''
    : code(node.default);
}

function table({ properties = {}, required = [] }: Node): string {
  const alike = Map.groupBy(Object.entries(properties), ([key, node]) => {
    const cells = [kind(node), fallback(node, required.includes(key)), node.description ?? ''];
    return cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ');
  });
  const rows = [...alike].map(
    ([cells, entries]) => `| ${entries.map(([key]) => code(key)).join(', ')} | ${cells} |`,
  );
  return ['| Key | Value | Default | Meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

/** "credentials" has one section for each "type", an upstream one for each "transport". */
function heading(path: string, { properties = {} }: Node): string {
  const chosen = ['type', 'transport'].filter((key) => properties[key]?.const !== undefined);
  return [code(path), ...chosen.map((key) => `with ${key} ${code(properties[key]?.const)}`)].join(' ');
}

function sections(path: string, node: Node, seen: Set<string>): string[] {
  return inner(path, node).flatMap(([at, map]) => {
    const title = heading(at, map);
    if (seen.has(title)) return [];
    seen.add(title);
    const children = Object.entries(map.properties ?? {});
    const below = children.flatMap(([key, child]) => sections(`${at}.${key}`, child, seen));
    return [`## ${title}\n\n${table(map)}`].concat(below);
  });
}

export async function referenceText(): Promise<string> {
  const top = jsonSchema();
  const seen = new Set<string>();
  const parts = Object.entries(top.properties ?? {}).flatMap(([key, node]) => sections(key, node, seen));
  const text = [INTRODUCTION, `## Top level\n\n${table(top)}`, ...parts].join('\n');
  const style = JSON.parse(readFileSync(root('.prettierrc.json'), 'utf8')) as object;
  return format(text, { ...style, parser: 'markdown' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(SCHEMA_FILE, schemaText());
  writeFileSync(REFERENCE_FILE, await referenceText());
}
