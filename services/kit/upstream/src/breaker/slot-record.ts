import type { Slot } from "@tollgate/catalog/model";
import type { SlotFailure } from "../failure.ts";
import { maxRetryAfterMs } from "../retry-after.ts";
import { type FailureStreak, failuresToOpen } from "./failure-streak.ts";

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
  /** The rate limits by the names of keys in a pool. Undefined: its provider has limited no call. */
  coolings: Map<string, Cooling> | undefined;
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

/** The rate limit of a slot, or of one key of its pool. */
export class Cooling {
  until = Number.NEGATIVE_INFINITY;
  /** The only account for which it cools; undefined where it does for all. */
  onlyFor: string | undefined;
  /** The account whose call was limited last, and whether another was served since. */
  limitedAccount: string | undefined;
  hasServedOthers = false;

  /** Returns whether the account's calls wait. */
  appliesTo(accountId: string, now: number): boolean {
    return now < this.until && (this.onlyFor === undefined || this.onlyFor === accountId);
  }

  /** Records that the provider has limited a call of the account. */
  limit(accountId: string, { retryAfterMs = defaultCoolingMs }: SlotFailure, now: number): void {
    if (this.limitedAccount !== accountId) {
      this.limitedAccount = accountId;
      this.hasServedOthers = false;
    }
    const coolsForAll = this.onlyFor === undefined && now < this.until;
    this.onlyFor = this.hasServedOthers && !coolsForAll ? accountId : undefined;
    this.until = now + Math.min(retryAfterMs, maxRetryAfterMs);
  }

  /** Records that a call of the account was served. */
  serve(accountId: string, now: number): void {
    if (this.limitedAccount !== accountId) this.hasServedOthers = true;
    if (now >= this.until) this.until = Number.NEGATIVE_INFINITY;
  }
}

/** Returns the rate limit of a slot; undefined if its provider has limited no call. */
export function coolingOf({ coolings }: SlotRecord, slot: Slot): Cooling | undefined {
  return coolings?.get(poolKeyOf(slot));
}

/** Records that the provider has limited a call of the account. */
export function cool(
  record: SlotRecord,
  slot: Slot,
  { accountId, failure, now }: { accountId: string; failure: SlotFailure; now: number },
): void {
  record.coolings ??= new Map();
  const name = poolKeyOf(slot);
  const cooling = record.coolings.get(name) ?? new Cooling();
  record.coolings.set(name, cooling);
  cooling.limit(accountId, failure, now);
}

/** Returns the name of a slot's key in its pool; empty for a slot without one. */
function poolKeyOf({ chainSlot, provider }: Slot): string {
  return chainSlot === undefined ? "" : (provider.key?.name ?? "");
}

/** Whether nothing that failed is known of a slot. */
export function isQuiet({ streaks, unreached, coolings }: SlotRecord): boolean {
  if (streaks !== 0 || unreached !== undefined) return false;
  if (coolings === undefined) return true;
  for (const { until } of coolings.values()) if (until !== Number.NEGATIVE_INFINITY) return false;
  return true;
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
