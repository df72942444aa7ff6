/** OPA's object.subset: objects member by member, arrays as a contiguous run, sets by membership. */
import { compareValues, RegoObject, RegoSet, type Value } from './values.ts';

/** Undefined when the two kinds do not go together. */
export function isSubset(whole: Value | undefined, part: Value | undefined): boolean | undefined {
  if (whole instanceof RegoObject && part instanceof RegoObject) return objectHolds(whole, part);
  if (whole instanceof RegoSet && part instanceof RegoSet) return holdsAll(whole.items, part.items);
  if (isArray(whole) && isArray(part)) return arrayHolds(whole, part);
  if (isArray(whole) && part instanceof RegoSet) return arrayHoldsSet(whole, part.items);
  return undefined;
}

function isArray(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

function equal(a: Value, b: Value): boolean {
  return compareValues(a, b) === 0;
}

function holdsAll(items: readonly Value[], wanted: readonly Value[]): boolean {
  return wanted.every((each) => items.some((item) => equal(item, each)));
}

/** As OPA does it: members of the array that are in the set are counted, a repeated one twice. */
function arrayHoldsSet(whole: readonly Value[], wanted: readonly Value[]): boolean {
  let missing = wanted.length;
  return whole.some((item) => {
    if (wanted.some((each) => equal(item, each))) missing--;
    return missing === 0;
  });
}

function objectHolds(whole: RegoObject, part: RegoObject): boolean {
  return part.entries.every(([key, wanted]) => {
    const entry = whole.entries.find(([name]) => equal(name, key));
    return entry !== undefined && memberHolds(entry[1], wanted);
  });
}

function memberHolds(value: Value, wanted: Value): boolean {
  if (equal(value, wanted)) return true;
  const sameKind = isArray(value) === isArray(wanted);
  return sameKind && (isSubset(value, wanted) ?? false);
}

function arrayHolds(whole: readonly Value[], part: readonly Value[]): boolean {
  const runs = whole.length - part.length;
  for (let start = 0; start <= runs; start++) {
    if (part.every((wanted, index) => equal(whole[start + index] ?? null, wanted))) return true;
  }
  return false;
}
