/** Counts calls by a name that tests make up, for faults that pass after the first few calls. */
export interface FirstCalls {
  /** Counts one more call under the name and says how many there have been, this one included. */
  count(name: string): number;
}

/** Names beyond this many push out the oldest one, whose count then starts anew. */
const NAME_LIMIT = 10_000;

export function createFirstCalls(): FirstCalls {
  const counts = new Map<string, number>();
  return {
    count(name) {
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
