/**
 * `npm run licenses`: writes THIRD_PARTY_LICENSES.md from what is shipped: the production packages of package-lock.json,
 * and the Go modules inside the Rego toolchain. `--check` compares instead of writing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = join(ROOT, 'THIRD_PARTY_LICENSES.md');
const LICENSE_FILE = /^(licen[cs]e|copying|notice|patents)([.-].*)?$/i;

interface Part {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly texts: readonly string[];
}

interface LockEntry {
  readonly version: string;
  readonly dev?: boolean;
}

function npmParts(): Part[] {
  const { packages } = readJson(join(ROOT, 'package-lock.json')) as { packages: Record<string, LockEntry> };
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { version }]) => {
      const dir = join(ROOT, path);
      const { license } = readJson(join(dir, 'package.json')) as { license?: string };
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return part({ name, version, license, texts: licenseTexts(dir) });
    });
}

/** One line for each linked Go package: module, version, folder of the module, folder of the package. */
const FORMAT =
  '{{if not .Standard}}{{if not .Module.Main}}{{.Module.Path}}\t{{.Module.Version}}\t{{.Module.Dir}}\t{{.Dir}}{{end}}{{end}}';

function goParts(): Part[] {
  const options = { cwd: join(ROOT, 'tools/rego'), encoding: 'utf8' } as const;
  const env = { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm' };
  const packages = execFileSync('go', ['list', '-deps', '-f', FORMAT, '.'], { ...options, env });
  const modules = new Map<string, { version: string; folders: Set<string> }>();
  for (const line of packages.split('\n').filter(Boolean)) {
    const [name = '', version = '', moduleDir = '', packageDir = ''] = line.split('\t');
    const module = modules.get(name) ?? { version, folders: new Set([moduleDir]) };
    modules.set(name, { version, folders: module.folders.add(packageDir) });
  }
  const standard = execFileSync('go', ['env', 'GOROOT'], options).trim();
  return [
    part({ name: 'Go standard library', version: '', texts: licenseTexts(standard) }),
    ...[...modules].map(([name, { version, folders }]) =>
      part({
        name,
        version,
        texts: [...folders].flatMap(licenseTexts),
        notices: [...folders].flatMap(sourceNotices),
      }),
    ),
  ];
}

interface Found {
  readonly name: string;
  readonly version: string;
  readonly license?: string | undefined;
  readonly texts: readonly string[];
  readonly notices?: readonly string[];
}

/** @throws Error for a part without any text: what may not be shipped must not slip in. */
function part({ name, version, license, texts, notices = [] }: Found): Part {
  const [main] = texts;
  if (main === undefined) throw new Error(`${name} ${version} has no license text.`);
  return {
    name,
    version,
    license: license ?? kindOf(name, main),
    texts: [...new Set([...texts, ...notices])],
  };
}

const KINDS: readonly (readonly [kind: string, mark: RegExp])[] = [
  ['Apache-2.0', /Apache License\s+Version 2\.0|apache\.org\/licenses\/LICENSE-2\.0/],
  ['MIT', /Permission is hereby granted, free of charge/],
  ['BSD-3-Clause', /Redistribution and use in source and binary forms[^]*without specific prior/],
  ['BSD-2-Clause', /Redistribution and use in source and binary forms(?![^]*without specific prior)/],
];

function kindOf(name: string, text: string): string {
  const kinds = KINDS.filter(([, mark]) => mark.test(text)).map(([kind]) => kind);
  if (kinds.length === 0) throw new Error(`The license of ${name} is of no known kind; add it to the table.`);
  return kinds.join(' and ');
}

function licenseTexts(dir: string): string[] {
  return readdirSync(dir)
    .filter((file) => LICENSE_FILE.test(file))
    .toSorted()
    .map((file) => readFileSync(join(dir, file), 'utf8'));
}

/**
 * OPA links a prebuilt WebAssembly library into every compiled policy. Its C and C++ sources are part of the module and
 * carry their notices in comments only.
 */
function sourceNotices(dir: string): string[] {
  const sources = join(dir, 'wasm/src');
  if (!existsSync(sources)) return [];
  const comments = globSync('**/*.{c,cc,h}', { cwd: sources })
    .toSorted()
    .flatMap(
      (file) => readFileSync(join(sources, file), 'utf8').match(/\/\*[^]*?\*\/|(?:^\/\/.*\n)+/gm) ?? [],
    )
    .filter(
      (comment) => /copyright|\(c\)/i.test(comment) && /licen[cs]e|permission|redistribution/i.test(comment),
    )
    .map((comment) => comment.replaceAll(/^[ \t]*(\/\/+|\/?\*+\/?)[ \t]?/gm, '').trim());
  // Files of one origin differ in the year.
  return [
    ...new Map(comments.map((comment) => [comment.replaceAll(/\b(19|20)\d\d\b/g, ''), comment])).values(),
  ];
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function section(title: string, parts: readonly Part[]): string {
  const rows = parts.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`);
  return [`## ${title}`, '', '| Part | Version | License |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

/** Equal texts stand once, below the names of all that use them. */
function texts(parts: readonly Part[]): string {
  const users = new Map<string, string[]>();
  for (const { name, texts: own } of parts) {
    for (const text of own) {
      const clean = text.replaceAll('\r\n', '\n').trim();
      users.set(clean, [...new Set([...(users.get(clean) ?? []), name])]);
    }
  }
  return [...users]
    .map(([text, names]) => `### ${names.join(', ')}\n\n\`\`\`text\n${text}\n\`\`\`\n`)
    .join('\n');
}

const byName = (a: Part, b: Part): number => a.name.localeCompare(b.name, 'en');
const npm = npmParts().toSorted(byName);
const go = goParts().toSorted(byName);
const document = `<!-- Written by scripts/licenses.ts; run \`npm run licenses\` after a change of dependencies. -->

# Third-party licenses

Gatehouse itself is under the Apache License 2.0 (LICENSE). What it ships with or installs, and the licenses of that:

${section('npm packages it depends on', npm)}
${section('Inside tools/rego/regotool.wasm.br', go)}
The WebAssembly library of Open Policy Agent, which is linked into every compiled policy, holds code of libmpdec, RE2 and others;
their notices stand below under github.com/open-policy-agent/opa. The license RE2 refers to is the BSD-3-Clause license.

## Texts

${texts([...npm, ...go])}`;

if (!process.argv.includes('--check')) writeFileSync(TARGET, document);
else if (!existsSync(TARGET) || readFileSync(TARGET, 'utf8') !== document) {
  process.stderr.write('THIRD_PARTY_LICENSES.md is not up to date; run "npm run licenses".\n');
  process.exitCode = 1;
}
