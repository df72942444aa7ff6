/** Where the state of the rules is kept, in memory and bounded. */
import { LRUCache } from 'lru-cache';

/** One key's state: the time (ms of the limiter's clock) at which it will be as if it had never been used. */
export interface Bucket {
  freshAt: number;
}

/** The buckets of one rule. */
export interface Buckets {
  of(key: string): Bucket;
  readonly size: number;
}

/** The buckets of all rules; outlives a change of the configuration. */
export interface BucketStore {
  /** The same rule gets the same buckets again. */
  rule(identity: string): Buckets;
  /** Lets go of the buckets of all other rules. */
  keepOnly(identities: readonly string[]): void;
  all(): Iterable<Buckets>;
}

/** Per rule; some 100 bytes each. */
const MAX_KEYS = 50_000;

export function createBucketStore(maxKeys: number = MAX_KEYS): BucketStore {
  const rules = new Map<string, Buckets>();
  return {
    rule(identity) {
      const buckets = rules.get(identity) ?? createBuckets(maxKeys);
      rules.set(identity, buckets);
      return buckets;
    },
    keepOnly(identities) {
      for (const identity of rules.keys()) if (!identities.includes(identity)) rules.delete(identity);
    },
    all: () => rules.values(),
  };
}

/**
 * When there is no room, the key unused for longest goes. Coming back, it must not find its limit whole again: so a new
 * key starts as used as the most used key that had to go. A flood of keys can thus make new keys wait (fail closed) but
 * never gives anybody more; once the time of the evicted keys has passed, new keys start fresh again.
 */
function createBuckets(max: number): Buckets {
  let floor = 0;
  const cache = new LRUCache<string, Bucket>({
    max,
    dispose: ({ freshAt }, _key, reason) => {
      if (reason === 'evict') floor = Math.max(floor, freshAt);
    },
  });
  return {
    of(key) {
      const known = cache.get(key);
      if (known) return known;
      const bucket = { freshAt: floor };
      cache.set(key, bucket);
      return bucket;
    },
    get size() {
      return cache.size;
    },
  };
}
