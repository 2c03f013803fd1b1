import { PeerError } from "@tollgate/core/errors";
import type { Replica } from "./replica.ts";

/** Known not to take calls, and perhaps about to be started again. */
const unable: ReadonlySet<string> = new Set(["failing", "refusing"]);
/** How soon a new replica behind a name is found. */
const lookUpEveryMs = 30_000;
/** How soon one is looked for where those that are known cannot be reached. */
const lookUpAgainMs = 1_000;

/** The replicas behind an address. */
export interface Replicas {
  /**
   * The next one in turn that is connected, and a silent one only where all are. Where none is,
   * waits until one that may be is, and where none could be reached before, `patienceMs`; then
   * answers any: a call to it tells why.
   */
  next(patienceMs: number): Promise<Replica>;
  /** Whether a call need not wait. */
  isSomeReady(): boolean;
  close(): void;
}

/**
 * Calls go to all that `lookUpTargets` finds. They are looked up now and then: a new one is opened,
 * one that has gone retired. Where it finds none, those before stay.
 */
export function createReplicas(
  lookUpTargets: () => Promise<readonly string[]>,
  open: (target: string) => Replica,
): Replicas {
  const known = new Map<string, Replica>();
  let all: readonly Replica[] = [];
  let turn = 0;
  let isClosed = false;
  let lookedUpAt = -Infinity;
  let looking: Promise<void> | undefined;

  async function lookUp(): Promise<void> {
    lookedUpAt = performance.now();
    const targets = new Set(await lookUpTargets());
    if (isClosed) return;
    // A name that cannot be looked up now says nothing of the replicas.
    if (targets.size === 0) return;
    for (const [target, replica] of known) {
      if (targets.has(target)) continue;
      known.delete(target);
      replica.retire();
    }
    for (const target of targets) if (!known.has(target)) known.set(target, open(target));
    all = [...known.values()];
  }

  function look(): Promise<void> {
    looking ??= lookUp().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  function nextInTurn(isWanted: (replica: Replica) => boolean): Replica | undefined {
    for (let tried = 0; tried < all.length; tried += 1) {
      turn = (turn + 1) % all.length;
      const replica = all[turn];
      if (replica !== undefined && isWanted(replica)) return replica;
    }
    return undefined;
  }

  const nextReady = () =>
    nextInTurn((replica) => isReady(replica) && !replica.isSilent()) ?? nextInTurn(isReady);

  async function someReady(patienceMs: number): Promise<void> {
    const mayWait = all.every((replica) => unable.has(replica.state()));
    const untilMs = Date.now() + patienceMs;
    while (Date.now() < untilMs && !all.some(isReady)) {
      if (!mayWait && !all.some((replica) => replica.state() === "connecting")) return;
      await Promise.race(all.map((replica) => replica.changed(untilMs)));
    }
  }

  const timer = setInterval(() => void look(), lookUpEveryMs);
  timer.unref();
  return {
    async next(patienceMs) {
      const ready = nextReady();
      if (ready !== undefined) return ready;
      if (all.length === 0) await look();
      else if (performance.now() - lookedUpAt > lookUpAgainMs) void look();
      if (all.length > 0) await someReady(patienceMs);
      const replica = nextReady() ?? all[turn];
      if (replica === undefined) throw new PeerError("unavailable", "the service has no address");
      return replica;
    },
    isSomeReady: () => all.some(isReady),
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const replica of all) replica.close();
      all = [];
    },
  };
}

const isReady = (replica: Replica) => replica.state() === "ready";
