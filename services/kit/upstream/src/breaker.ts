/** Consecutive failures after which a slot is taken out. */
const failuresToOpen = 5;
/** How long a slot stays out before a trial call. Doubled each time that the trial call fails. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Circuit breakers, one for each slot. The breaker of a slot that fails repeatedly opens: the slot
 * is taken out, so that requests do not wait for a dead provider. One successful trial call brings
 * it back. Each process has its own state.
 */
export interface Breakers {
  /**
   * Returns whether the slot may be called now. Where it returns true for a slot that is out, the
   * call is the trial call, and its result must be reported.
   */
  admits(slotId: string): boolean;
  succeeded(slotId: string): void;
  failed(slotId: string): void;
  /** Ends a call without a result for the slot, for instance because the client disconnected. */
  abandoned(slotId: string): void;
  /** Returns the ids of the slots that are out. */
  open(): string[];
}

interface Breaker {
  failures: number;
  pauseMs: number;
  /** When a slot that is out may have its trial call; undefined where the slot is in. */
  retryAt: number | undefined;
  isTrialPending: boolean;
}

/**
 * Creates closed breakers. Calls `onChange` when a slot is taken out, and when it is brought back.
 */
export function createBreakers(
  now: () => number,
  onChange: (slotId: string, isOut: boolean) => void = () => {},
): Breakers {
  const breakers = new Map<string, Breaker>();
  return {
    admits(slotId) {
      const breaker = breakers.get(slotId);
      if (breaker?.retryAt === undefined) return true;
      if (breaker.isTrialPending || now() < breaker.retryAt) return false;
      breaker.isTrialPending = true;
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
      if (breaker.isTrialPending) breaker.pauseMs = Math.min(breaker.pauseMs * 2, longestPauseMs);
      breaker.isTrialPending = false;
      if (breaker.retryAt === undefined) onChange(slotId, true);
      breaker.retryAt = now() + breaker.pauseMs;
    },
    abandoned(slotId) {
      const breaker = breakers.get(slotId);
      if (breaker !== undefined) breaker.isTrialPending = false;
    },
    open() {
      const isOut = ([, { retryAt }]: [string, Breaker]) => retryAt !== undefined;
      return [...breakers].filter(isOut).map(([slotId]) => slotId);
    },
  };
}

function newBreaker(): Breaker {
  return { failures: 0, pauseMs: firstPauseMs, retryAt: undefined, isTrialPending: false };
}
