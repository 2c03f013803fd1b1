import { LRUCache } from "lru-cache";

/**
 * Answers of another service that are believed for a while, by the name of what was asked about.
 */
export interface Believed<Value> {
  /**
   * The answer where it is believed, and otherwise what the service says now. Raises what `ask`
   * does.
   */
  get(name: string): Value | Promise<Value>;
  /** It is asked about anew, and what was asked before is not kept. */
  forget(name: string): void;
}

interface Answer<Value> {
  value: Value;
  renewFrom: number;
  until: number;
}

/**
 * Keeps up to `max` answers, each for `believedMs` from when it was asked for; not at all where
 * that is zero. One that is in use is asked for anew when half of that is over, and nobody waits
 * for it; those who have to wait all wait for the same one.
 */
export function createBelieved<Value>(options: {
  ask(name: string): Promise<Value>;
  believedMs(value: Value): number;
  max: number;
}): Believed<Value> {
  const { ask, believedMs, max } = options;
  const answers = new LRUCache<string, Answer<Value>>({ max });
  const asked = new Map<string, Promise<Value>>();

  function keep(name: string, value: Value, askedAt: number): void {
    const ms = believedMs(value);
    if (ms === 0) answers.delete(name);
    else answers.set(name, { value, renewFrom: askedAt + ms / 2, until: askedAt + ms });
  }

  function askFor(name: string): Promise<Value> {
    const askedAt = performance.now();
    const asking = ask(name);
    asked.set(name, asking);
    const end = () => {
      const isWanted = asked.get(name) === asking;
      if (isWanted) asked.delete(name);
      return isWanted;
    };
    asking.then(
      (value) => {
        if (end()) keep(name, value, askedAt);
      },
      // Whoever waits for it is told; what was answered before is believed for its time.
      end,
    );
    return asking;
  }

  /**
   * Waits with whoever asks already. What is not to be believed, or fails, is asked about again.
   */
  function join(name: string): Promise<Value> | undefined {
    return asked.get(name)?.then(
      (value) => (believedMs(value) === 0 ? askFor(name) : value),
      () => asked.get(name) ?? askFor(name),
    );
  }

  return {
    get(name) {
      const answer = answers.get(name);
      const now = performance.now();
      if (answer === undefined || now >= answer.until) return join(name) ?? askFor(name);
      if (now >= answer.renewFrom && !asked.has(name)) void askFor(name);
      return answer.value;
    },
    forget(name) {
      answers.delete(name);
      asked.delete(name);
    },
  };
}
