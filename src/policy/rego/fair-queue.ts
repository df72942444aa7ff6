/** A queue that serves its keys in turn: who asks a thousand times waits behind himself, not before the others. */
export class FairQueue<T> {
  /** In serving order: Map iterates as inserted, and a served key is inserted anew. */
  readonly #lists = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  waiting(key: string): number {
    return this.#lists.get(key)?.length ?? 0;
  }

  push(key: string, item: T): void {
    const list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, [item]);
    else list.push(item);
    this.#size++;
  }

  shift(): T | undefined {
    for (const [key, list] of this.#lists) {
      this.#lists.delete(key);
      const item = list.shift();
      if (list.length > 0) this.#lists.set(key, list);
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** Takes out, from the front of each key's list, the items that `match`; each list is in order of arrival. */
  takeWhile(match: (item: T) => boolean): T[] {
    const taken: T[] = [];
    for (const [key, list] of this.#lists) {
      const keep = list.findIndex((item) => !match(item));
      taken.push(...list.splice(0, keep < 0 ? list.length : keep));
      if (list.length === 0) this.#lists.delete(key);
    }
    this.#size -= taken.length;
    return taken;
  }
}
