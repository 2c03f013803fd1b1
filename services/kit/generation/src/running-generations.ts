import { PeerError } from "@tollgate/core/errors";
import { createIndexedSet, type Indexed } from "@tollgate/core/indexed-set";

/** How long generations that a drain has aborted may take to be settled. */
const maxSettleMs = 5_000;

export interface RunningGeneration extends Indexed {
  /** Ends the generation, which is then settled. */
  abort(reason: PeerError): void;
}

/** The generations of a process whose holds are taken, and which are not settled. */
export interface RunningGenerations {
  add(generation: RunningGeneration): void;
  remove(generation: RunningGeneration): void;
  /**
   * Resolves when no generation runs: also those of clients that left have then ended. Aborts those
   * that run for longer than `graceMs`.
   */
  drain(graceMs: number): Promise<void>;
}

export function createRunningGenerations(maxMs: number = maxSettleMs): RunningGenerations {
  const running = createIndexedSet<RunningGeneration>();
  let ended: PromiseWithResolvers<void> | undefined;

  function abortAll(): void {
    const reason = new PeerError("unavailable", "the gateway stops");
    for (const generation of running.all()) generation.abort(reason);
  }

  return {
    add: running.add,
    remove(generation) {
      running.remove(generation);
      if (running.size() === 0) ended?.resolve();
    },
    async drain(graceMs) {
      if (running.size() === 0) return;
      ended = Promise.withResolvers();
      const grace = setTimeout(abortAll, graceMs);
      const force = setTimeout(ended.resolve, graceMs + maxMs);
      await ended.promise;
      clearTimeout(grace);
      clearTimeout(force);
    },
  };
}
