import { setTimeout as sleep } from "node:timers/promises";

/** Lines of those who want the same thing, first come first served. */
export interface WaitingLines {
  /**
   * Waits for one's turn, `maxMs` at the most: undefined when that is over. What it answers lets
   * the next one in, and must be called. Raises when the signal aborts.
   */
  enter(name: string, maxMs: number, signal: AbortSignal): Promise<(() => void) | undefined>;
}

export function createWaitingLines(): WaitingLines {
  /** The last of each line; it ends when everybody has left. */
  const tails = new Map<string, Promise<void>>();
  return {
    async enter(name, maxMs, signal) {
      const ahead = tails.get(name);
      const own = Promise.withResolvers<void>();
      const tail = (ahead ?? Promise.resolve()).then(() => own.promise);
      tails.set(name, tail);
      void tail.then(() => {
        if (tails.get(name) === tail) tails.delete(name);
      });
      if (ahead === undefined) return own.resolve;
      try {
        if (await isDoneWithin(ahead, maxMs, signal)) return own.resolve;
      } catch (error) {
        own.resolve();
        throw error;
      }
      own.resolve();
      return undefined;
    },
  };
}

async function isDoneWithin(
  work: Promise<void>,
  maxMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(maxMs, false, { signal: AbortSignal.any([signal, timer.signal]) });
  late.catch(() => {});
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer.abort();
  }
}
