/**
 * The part of an input that a policy reads, as JSON text: what goes to the worker, and the key of cached decisions.
 * Two inputs with the same text cannot be decided differently.
 */
import type { PolicyInput } from '../policy.ts';

/** Member names, each with what is taken below it; without branches the whole value. */
interface Branch {
  readonly name: string;
  readonly branches?: readonly Branch[];
}
type Members = Readonly<Record<string, unknown>>;

/** Numbers that JavaScript would round travel as `JSON.rawJSON` objects, which look like objects but are values. */
const isRawJson = (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON ?? ((): boolean => false);

/** `reads`: paths below input; null takes everything. */
export function projection(reads: readonly (readonly string[])[] | null): (input: PolicyInput) => string {
  if (reads === null) return (input) => JSON.stringify(input);
  // The phase is always there: what is allowed in one phase says nothing of the other.
  const branches = treeOf([['phase'], ...reads]);
  return (input) => JSON.stringify(take(input as unknown as Members, branches));
}

function treeOf(paths: readonly (readonly string[])[]): Branch[] {
  const names = new Set(paths.flatMap(([name]) => name ?? []));
  return Array.from(names, (name) => {
    const below = paths.filter(([first]) => first === name).map((path) => path.slice(1));
    return below.some((path) => path.length === 0) ? { name } : { name, branches: treeOf(below) };
  });
}

function take(value: Members, branches: readonly Branch[]): Members {
  const taken: Record<string, unknown> = {};
  for (const { name, branches: below } of branches) {
    if (!Object.hasOwn(value, name)) continue;
    const member = value[name];
    if (below === undefined) put(taken, name, member);
    else if (hasMembers(member)) put(taken, name, take(member, below));
  }
  return taken;
}

/** In an assignment `__proto__` would not become a member. */
function put(taken: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(taken, name, { value, enumerable: true });
  else taken[name] = value;
}

function hasMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJson(value);
}
