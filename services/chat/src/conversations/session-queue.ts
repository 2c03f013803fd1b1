import { setTimeout as sleep } from "node:timers/promises";

/** First-in, first-out queues of waiters, one queue per name. */
export interface SessionQueues {
  /**
   * Resolves when the caller is first in the queue, with a function that leaves the queue, which
   * must be called. Resolves with undefined after `maxMs`. Throws when the signal aborts.
   */
  enter(name: string, maxMs: number, signal: AbortSignal): Promise<(() => void) | undefined>;
}

export function createSessionQueues(): SessionQueues {
  /** The last waiter of each queue. Its promise resolves when all waiters have left. */
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
        if (await resolvesWithin(ahead, maxMs, signal)) return own.resolve;
      } catch (error) {
        own.resolve();
        throw error;
      }
      own.resolve();
      return undefined;
    },
  };
}

async function resolvesWithin(
  promise: Promise<void>,
  maxMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(maxMs, false, { signal: AbortSignal.any([signal, timer.signal]) });
  late.catch(() => {});
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    timer.abort();
  }
}
