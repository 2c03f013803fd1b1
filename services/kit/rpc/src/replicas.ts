import { PeerError } from "@tollgate/core/errors";
import type { Replica } from "./replica.ts";

/** States in which a replica accepts no calls, and may be about to restart. */
const unavailableStates: ReadonlySet<string> = new Set(["failing", "draining"]);
/** How soon a new replica behind a name is found. */
const lookupIntervalMs = 30_000;
/** How soon the name is looked up again while no known replica is ready. */
const retryLookupMs = 1_000;

/** The replicas behind an address. */
export interface Replicas {
  /**
   * Returns the next ready replica in turn, an unresponsive one only if all ready ones are. If none
   * is ready, waits up to `timeoutMs` for one that is connecting or, if all fail or drain, for any.
   * Then returns any replica: the call to it fails with the reason. Throws a PeerError if the
   * address has no replicas.
   */
  next(timeoutMs: number): Promise<Replica>;
  /** Returns whether a call would not have to wait. */
  isAnyReady(): boolean;
  close(): void;
}

/**
 * Opens a replica for every target that `lookUpTargets` returns. Looks them up again from time to
 * time, opens the new ones and retires those that are gone. A lookup that returns none changes
 * nothing.
 */
export function createReplicas(
  lookUpTargets: () => Promise<readonly string[]>,
  open: (target: string) => Replica,
): Replicas {
  const byTarget = new Map<string, Replica>();
  let all: readonly Replica[] = [];
  let turn = 0;
  let isClosed = false;
  let lastLookupAt = -Infinity;
  let pendingLookup: Promise<void> | undefined;

  async function lookUp(): Promise<void> {
    lastLookupAt = performance.now();
    const targets = new Set(await lookUpTargets());
    if (isClosed) return;
    // A name that cannot be resolved now does not mean that its replicas are gone.
    if (targets.size === 0) return;
    for (const [target, replica] of byTarget) {
      if (targets.has(target)) continue;
      byTarget.delete(target);
      replica.retire();
    }
    for (const target of targets) {
      if (!byTarget.has(target)) byTarget.set(target, open(target));
    }
    all = [...byTarget.values()];
  }

  function lookUpOnce(): Promise<void> {
    pendingLookup ??= lookUp().finally(() => {
      pendingLookup = undefined;
    });
    return pendingLookup;
  }

  function nextInTurn(matches: (replica: Replica) => boolean): Replica | undefined {
    for (let tried = 0; tried < all.length; tried += 1) {
      turn = (turn + 1) % all.length;
      const replica = all[turn];
      if (replica !== undefined && matches(replica)) return replica;
    }
    return undefined;
  }

  const nextReady = () =>
    nextInTurn((replica) => isReady(replica) && !replica.isUnresponsive()) ?? nextInTurn(isReady);

  async function waitUntilReady(timeoutMs: number): Promise<void> {
    const mayRestart = all.every((replica) => unavailableStates.has(replica.state()));
    const untilMs = Date.now() + timeoutMs;
    while (Date.now() < untilMs && !all.some(isReady)) {
      if (!mayRestart && !all.some((replica) => replica.state() === "connecting")) return;
      await Promise.race(all.map((replica) => replica.changed(untilMs)));
    }
  }

  const timer = setInterval(() => void lookUpOnce(), lookupIntervalMs);
  timer.unref();
  return {
    async next(timeoutMs) {
      const ready = nextReady();
      if (ready !== undefined) return ready;
      if (all.length === 0) await lookUpOnce();
      else if (performance.now() - lastLookupAt > retryLookupMs) void lookUpOnce();
      if (all.length > 0) await waitUntilReady(timeoutMs);
      const replica = nextReady() ?? all[turn];
      if (replica === undefined) throw new PeerError("unavailable", "the service has no address");
      return replica;
    },
    isAnyReady: () => all.some(isReady),
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const replica of all) replica.close();
      all = [];
    },
  };
}

const isReady = (replica: Replica) => replica.state() === "ready";
