import { setTimeout as sleep } from "node:timers/promises";
import { PeerError } from "@tollgate/core/errors";
import { repeat } from "@tollgate/core/repeat";
import type { Replica } from "./replica.ts";

/**
 * How soon a new replica behind a name is found, unless a name server caches an older response:
 * then as soon as that expires, which is 30 s later in many clusters.
 */
const lookupIntervalMs = 5_000;
/** How soon the name is looked up again while a known replica is not ready. */
const retryLookupMs = 1_000;
/** How long a restart of a replica at the same address may take. */
const restartMs = 1_000;

/** The replicas behind an address. */
export interface Replicas {
  /**
   * Returns the next ready replica in turn, an unresponsive or leaving one only if there is no
   * other. If none accepts calls, waits up to `timeoutMs` for one that is connecting or that a new
   * lookup finds, and about a second for one that may be restarting. Then returns any replica: the
   * call to it fails with the reason. Throws a PeerError if the address has no replicas.
   */
  next(timeoutMs: number): Promise<Replica>;
  /** Returns whether a call would not have to wait. */
  isAnyReady(): boolean;
  close(): void;
}

/**
 * Opens a replica for every target that `lookUpTargets` returns. Looks them up again from time to
 * time, and sooner after a replica was found not to be ready. Opens the new ones and retires those
 * that are gone. A lookup that returns none changes nothing.
 *
 * Longer than 70 lines: its functions share one set of replicas.
 */
export function createReplicas(
  lookUpTargets: () => Promise<readonly string[]>,
  open: (target: string) => Replica,
): Replicas {
  const byTarget = new Map<string, Replica>();
  let all: readonly Replica[] = [];
  let turn = 0;
  let isClosed = false;
  let wasAnyUnready = false;
  const lookups = createLookups(async () => {
    wasAnyUnready = false;
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
  });

  function nextInTurn(matches: (replica: Replica) => boolean): Replica | undefined {
    for (let tried = 0; tried < all.length; tried += 1) {
      turn = (turn + 1) % all.length;
      const replica = all[turn];
      if (replica !== undefined && matches(replica)) return replica;
      wasAnyUnready = true;
    }
    return undefined;
  }

  const nextReady = () =>
    nextInTurn((replica) => isReady(replica) && !replica.isUnresponsive()) ??
    nextInTurn(isReady) ??
    nextInTurn(acceptsCalls);

  async function waitUntilReady(timeoutMs: number): Promise<void> {
    const startedAt = Date.now();
    const untilMs = startedAt + timeoutMs;
    let lookupCount = 0;
    while (Date.now() < untilMs && !isClosed && !all.some(acceptsCalls)) {
      const mayRestart = lookupCount === 0 || Date.now() - startedAt < restartMs;
      if (!mayRestart && !all.some(isConnecting)) return;
      const again = lookups.again().then(() => {
        lookupCount += 1;
      });
      await Promise.race([...all.map((replica) => replica.changed(untilMs)), again]);
    }
  }

  const regular = repeat(lookups.now, { everyMs: lookupIntervalMs });
  return {
    async next(timeoutMs) {
      const ready = nextReady();
      if (wasAnyUnready && ready !== undefined) void lookups.again();
      if (ready !== undefined) return ready;
      if (all.length === 0) await lookups.now();
      if (all.length > 0) await waitUntilReady(timeoutMs);
      const replica = nextReady() ?? all[turn];
      if (replica === undefined) throw new PeerError("unavailable", "the service has no address");
      return replica;
    },
    isAnyReady: () => all.some(acceptsCalls),
    close() {
      isClosed = true;
      void regular.stop();
      for (const replica of all) replica.close();
      all = [];
    },
  };
}

/** Runs `lookUp` for all callers together: `now`, or `again` a second after the last time. */
function createLookups(lookUp: () => Promise<void>) {
  let lastAt = -Infinity;
  let pending: Promise<void> | undefined;
  let pendingAgain: Promise<void> | undefined;

  function now(): Promise<void> {
    if (pending === undefined) {
      lastAt = performance.now();
      pending = lookUp().finally(() => {
        pending = undefined;
      });
    }
    return pending;
  }

  return {
    now,
    again(): Promise<void> {
      const waitMs = Math.max(0, lastAt + retryLookupMs - performance.now());
      pendingAgain ??= sleep(waitMs, undefined, { ref: false })
        .then(now)
        .finally(() => {
          pendingAgain = undefined;
        });
      return pendingAgain;
    },
  };
}

const isReady = (replica: Replica) => replica.state() === "ready";

const isConnecting = (replica: Replica) => replica.state() === "connecting";

function acceptsCalls(replica: Replica): boolean {
  const state = replica.state();
  return state === "ready" || state === "leaving";
}
