import { LRUCache } from "lru-cache";

/** Caches values of another service by key, and refreshes those in use before they expire. */
export interface RefreshingCache<Value> {
  /** Returns the cached value, or a promise of a loaded one. Rejects with what `load` throws. */
  get(key: string): Value | Promise<Value>;
  /** Removes the value. The result of a load in progress is not cached either. */
  delete(key: string): void;
  /** Removes the values that match. The results of loads in progress are not cached either. */
  deleteWhere(matches: (value: Value) => boolean): void;
}

interface Entry<Value> {
  value: Value;
  refreshAt: number;
  expiresAt: number;
}

/**
 * Creates a cache of up to `max` values. A value expires `ttlMs` after its load started; with a TTL
 * of 0 it is not cached. A value that is used in the second half of its TTL is loaded again in the
 * background. Concurrent calls for a missing value share one load.
 */
export function createRefreshingCache<Value>(options: {
  load(key: string): Promise<Value>;
  ttlMs(value: Value): number;
  max: number;
}): RefreshingCache<Value> {
  const { load, ttlMs, max } = options;
  const entries = new LRUCache<string, Entry<Value>>({ max });
  const loads = new Map<string, Promise<Value>>();

  function store(key: string, value: Value, loadedAt: number): void {
    const ms = ttlMs(value);
    if (ms === 0) entries.delete(key);
    else entries.set(key, { value, refreshAt: loadedAt + ms / 2, expiresAt: loadedAt + ms });
  }

  function startLoad(key: string): Promise<Value> {
    const startedAt = performance.now();
    const loading = load(key);
    loads.set(key, loading);
    const end = () => {
      const isCurrent = loads.get(key) === loading;
      if (isCurrent) loads.delete(key);
      return isCurrent;
    };
    loading.then(
      (value) => {
        if (end()) store(key, value, startedAt);
      },
      // The callers that wait receive the error. A cached value stays until it expires.
      end,
    );
    return loading;
  }

  /** Waits for a load in progress. If it fails, or its value is not cached, loads again. */
  function joinLoad(key: string): Promise<Value> | undefined {
    return loads.get(key)?.then(
      (value) => (ttlMs(value) === 0 ? startLoad(key) : value),
      () => loads.get(key) ?? startLoad(key),
    );
  }

  return {
    get(key) {
      const entry = entries.get(key);
      const now = performance.now();
      if (entry === undefined || now >= entry.expiresAt) return joinLoad(key) ?? startLoad(key);
      if (now >= entry.refreshAt && !loads.has(key)) void startLoad(key);
      return entry.value;
    },
    delete(key) {
      entries.delete(key);
      loads.delete(key);
    },
    deleteWhere(matches) {
      for (const [key, { value }] of entries.entries()) if (matches(value)) entries.delete(key);
      loads.clear();
    },
  };
}
