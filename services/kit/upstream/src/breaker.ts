/** Failures in a row after which a slot is taken out. */
const failuresToOpen = 5;
/** How long a slot stays out before a trial call; doubled each time that trial fails. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Circuit breakers, one a slot. A slot that keeps failing is taken out, so that a dead provider
 * costs its callers nothing, and comes back by one trial call. State is this process's own.
 */
export interface Breakers {
  /** Whether the slot may be called now. True claims the trial call of a slot that is out. */
  admits(slotId: string): boolean;
  succeeded(slotId: string): void;
  failed(slotId: string): void;
  /** The call ended without saying anything of the slot, for instance because the client left. */
  abandoned(slotId: string): void;
}

interface Breaker {
  failures: number;
  pauseMs: number;
  /** When the slot may be tried again; undefined while it is in. */
  retryAt: number | undefined;
  trialUnderWay: boolean;
}

/** `onChange` is told when a slot is taken out, and when it is back. */
export function createBreakers(
  now: () => number,
  onChange: (slotId: string, isOut: boolean) => void = () => {},
): Breakers {
  const breakers = new Map<string, Breaker>();
  return {
    admits(slotId) {
      const breaker = breakers.get(slotId);
      if (breaker?.retryAt === undefined) return true;
      if (breaker.trialUnderWay || now() < breaker.retryAt) return false;
      breaker.trialUnderWay = true;
      return true;
    },
    succeeded(slotId) {
      const breaker = breakers.get(slotId);
      if (breaker === undefined) return;
      breakers.delete(slotId);
      if (breaker.retryAt !== undefined) onChange(slotId, false);
    },
    failed(slotId) {
      const breaker = breakers.get(slotId) ?? newBreaker();
      breakers.set(slotId, breaker);
      breaker.failures += 1;
      if (breaker.failures < failuresToOpen) return;
      if (breaker.trialUnderWay) breaker.pauseMs = Math.min(breaker.pauseMs * 2, longestPauseMs);
      breaker.trialUnderWay = false;
      if (breaker.retryAt === undefined) onChange(slotId, true);
      breaker.retryAt = now() + breaker.pauseMs;
    },
    abandoned(slotId) {
      const breaker = breakers.get(slotId);
      if (breaker !== undefined) breaker.trialUnderWay = false;
    },
  };
}

function newBreaker(): Breaker {
  return { failures: 0, pauseMs: firstPauseMs, retryAt: undefined, trialUnderWay: false };
}
