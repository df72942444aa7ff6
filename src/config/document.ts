/** YAML 1.2 with places: plain values for the schema, and the line and column of any path in them. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Alias,
  type Document,
  type ErrorCode,
  type Node,
  type Pair,
} from 'yaml';
import { ConfigError, type Finding, type Path, pathText, type Problem } from './errors.ts';

const MAX_DEPTH = 32;
const MAX_ALIASES = 100;
/** Of all values after aliases are followed: a few kilobytes of nested anchors can stand for billions. */
const MAX_VALUES = 200_000;

/** The library's own messages quote the file, which may hold secrets; these do not. */
const SYNTAX: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: 'unknown escape in a text in double quotes',
  BAD_INDENT: 'wrong indentation',
  BAD_SCALAR_START: 'a text that starts with this character needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second ": " on this line; put the text in quotes',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters',
  MISSING_CHAR: 'a closing quote, bracket or ":" is missing',
  MULTILINE_IMPLICIT_KEY: 'a key goes over several lines; is a ":" missing?',
  MULTIPLE_DOCS: 'more than one YAML document in the file',
  RESOURCE_EXHAUSTION: 'nested too deeply',
  TAB_AS_INDENT: 'a tab in the indentation; YAML takes spaces only',
  TAG_RESOLVE_FAILED: 'YAML tags are not used here',
};

export interface Source {
  readonly value: Readonly<Record<string, unknown>>;
  /** Adds the place to each finding; a path the file does not have takes the place of its nearest parent. */
  locate(findings: readonly Finding[]): Problem[];
}

/** Parses `text`; a `ConfigError` lists every fault of its syntax. `file` is only for messages. */
export function parseSource(file: string, text: string): Source {
  const counter = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    prettyErrors: false,
    uniqueKeys: false, // checked below, in linear time
    lineCounter: counter,
    logLevel: 'error', // "silent" would accept a second document
  });
  const problem = (offset: number, path: Path, message: string): Problem => {
    const { line, col } = counter.linePos(offset);
    return { line, column: col, path: pathText(path), message };
  };

  const faults = [...document.errors, ...document.warnings];
  const problems = faults.map(({ code, pos }) =>
    problem(pos[0], [], SYNTAX[code] ?? 'this is not valid YAML'),
  );
  if (problems.length > 0) throw new ConfigError(file, tidy(problems));

  const offsets = new Offsets();
  const value = toPlain(document, offsets, (offset, path, message) =>
    problems.push(problem(offset, path, message)),
  );
  if (value === null) problems.push({ line: 0, column: 0, path: '', message: 'the file is empty' });
  else if (!isMap(document.contents)) problems.push(problem(0, [], 'expected a map of settings'));
  if (problems.length > 0) throw new ConfigError(file, tidy(problems));

  return {
    value: value as Record<string, unknown>,
    locate: (findings) =>
      tidy(findings.map((finding) => problem(offsets.find(finding), finding.path, finding.message))),
  };
}

/** Where each path begins: its key (or list entry) and its value. */
class Offsets {
  readonly #known = new Map<string, { readonly key: number; readonly value: number }>();

  set(path: Path, key: Node, value: Node | null): void {
    this.#known.set(JSON.stringify(path), { key: start(key), value: start(value ?? key) });
  }

  find({ path, at }: Finding): number {
    const exact = this.#known.get(JSON.stringify(path));
    if (exact !== undefined) return at === 'key' ? exact.key : exact.value;
    return path.length === 0 ? 0 : this.find({ path: path.slice(0, -1), message: '', at: 'key' });
  }
}

type Report = (offset: number, path: Path, message: string) => void;

/** Own walk instead of `toJS`: it sees doubled keys, circles and alias bombs, and remembers where all is. */
function toPlain(document: Document, offsets: Offsets, report: Report): unknown {
  let values = 0;
  let aliases = 0;

  function plain(node: Node | null, path: Path): unknown {
    if (node === null) return null;
    if (path.length > MAX_DEPTH) return report(start(node), path.slice(0, 3), 'nested too deeply');
    if (++values > MAX_VALUES) return values === MAX_VALUES + 1 && report(start(node), [], 'too many values');
    if (isAlias(node)) return follow(node, path);
    if (isMap<Node, Node | null>(node)) return fromPairs(node.items, path);
    if (isSeq<Node>(node)) return fromItems(node.items, path);
    return isScalar(node) ? node.value : null;
  }

  function follow(alias: Alias, path: Path): unknown {
    if (++aliases > MAX_ALIASES) {
      return aliases === MAX_ALIASES + 1 && report(start(alias), path, 'too many aliases');
    }
    const target = alias.resolve(document);
    if (target === undefined) return report(start(alias), path, 'this alias has no anchor above it');
    return plain(target, path);
  }

  function fromItems(items: readonly Node[], path: Path): unknown {
    return items.map((item, index) => {
      const inner = [...path, index];
      offsets.set(inner, item, item);
      return plain(item, inner);
    });
  }

  function fromPairs(pairs: readonly Pair<Node, Node | null>[], path: Path): unknown {
    const map = new Map<string, unknown>();
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? String(key.value) : '__proto__';
      const inner = [...path, name];
      if (name === '__proto__') report(start(key), path, 'this cannot be a key');
      else if (map.has(name)) report(start(key), inner, 'this key is there twice');
      else {
        offsets.set(inner, key, value);
        map.set(name, plain(value, inner));
      }
    }
    return Object.fromEntries(map);
  }

  return plain(document.contents, []);
}

function start(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

/** In the order of the file, each line once: one fault of syntax can be found many times at one place. */
function tidy(problems: readonly Problem[]): Problem[] {
  const distinct = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...distinct.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
}
