import type { SlotFailure } from "./failure.ts";
import { type FailureStreak, failuresToOpen } from "./failure-streak.ts";
import { maxRetryAfterMs } from "./retry-after.ts";

/** How long a slot is not called whose provider limits the rate and does not say for how long. */
const defaultCoolingMs = 1_000;
/** A slot that served any account within this time is out for no other account. */
const successCountsMs = 30_000;
/** How many accounts must have failed before a slot is out for all. */
const accountsToOpen = 2;

/** What is known of one slot. */
export class SlotRecord {
  readonly slotId: string;
  lastSuccessAt = Number.NEGATIVE_INFINITY;
  /** When a slot that was out for all served again. */
  recoveredAt = Number.NEGATIVE_INFINITY;
  coolsUntil = Number.NEGATIVE_INFINITY;
  /** The only account for which it cools; undefined where it does for all. */
  coolsOnlyFor: string | undefined;
  /** The account whose call was limited last, and whether another was served since. */
  limitedAccount: string | undefined;
  hasServedOthers = false;
  /** Calls in a row that did not reach the provider. */
  unreached: FailureStreak | undefined;
  /** How many accounts have a streak, and for how many of them the slot is out. */
  streaks = 0;
  openStreaks = 0;
  /** Whether the observer was told that the slot is out. */
  isReportedOut = false;

  constructor(slotId: string) {
    this.slotId = slotId;
  }
}

/** Records that the provider has limited a call of the account. */
export function cool(
  record: SlotRecord,
  accountId: string,
  { retryAfterMs = defaultCoolingMs }: SlotFailure,
  now: number,
): void {
  if (record.limitedAccount !== accountId) {
    record.limitedAccount = accountId;
    record.hasServedOthers = false;
  }
  const coolsForAll = record.coolsOnlyFor === undefined && now < record.coolsUntil;
  record.coolsOnlyFor = record.hasServedOthers && !coolsForAll ? accountId : undefined;
  record.coolsUntil = now + Math.min(retryAfterMs, maxRetryAfterMs);
}

/** Whether the rate limit of a slot is one for the account, too. */
export function coolsFor({ coolsOnlyFor }: SlotRecord, accountId: string): boolean {
  return coolsOnlyFor === undefined || coolsOnlyFor === accountId;
}

/** Whether nothing that failed is known of a slot. */
export function isQuiet({ streaks, unreached, coolsUntil }: SlotRecord): boolean {
  return streaks === 0 && unreached === undefined && coolsUntil === Number.NEGATIVE_INFINITY;
}

/** Whether one failure takes the slot out for an account, because others failed and nobody was served. */
export function isOutForAll(record: SlotRecord, now: number): boolean {
  return record.openStreaks >= accountsToOpen && now - record.lastSuccessAt >= successCountsMs;
}

/** Whether the slot is out for every account that calls it. With one account, that is its own. */
export function servesNobody(record: SlotRecord, now: number): boolean {
  if (record.unreached !== undefined && record.unreached.failures >= failuresToOpen) return true;
  return record.openStreaks > 0 && now - record.lastSuccessAt >= successCountsMs;
}

/** Forgets the streak of one account. */
export function forgetStreak(record: SlotRecord, { failures }: FailureStreak): void {
  record.streaks -= 1;
  if (failures >= failuresToOpen) record.openStreaks -= 1;
}
