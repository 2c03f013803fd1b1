/** Counts calls by a name that a test chooses, for faults that pass after the first few calls. */
export interface CallCounter {
  /** Adds one call to the name's count and returns the new count. */
  increment(name: string): number;
}

/** Above this many names the oldest one is dropped; its count then starts again at 1. */
const NAME_LIMIT = 10_000;

export function createCallCounter(): CallCounter {
  const counts = new Map<string, number>();
  return {
    increment(name) {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      if (counts.size > NAME_LIMIT) {
        for (const oldest of counts.keys()) {
          counts.delete(oldest);
          break;
        }
      }
      return count;
    },
  };
}
