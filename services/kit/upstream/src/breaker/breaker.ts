import type { Slot } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";
import { keyNameOf } from "../api-key.ts";
import type { SlotFailure } from "../failure.ts";
import { AccountStreaks } from "./account-streaks.ts";
import { FailureStreak, failuresToOpen } from "./failure-streak.ts";
import { type KeyRefusal, RefusedKeys } from "./refused-keys.ts";
import {
  cool,
  coolingOf,
  forgetStreak,
  isOutForAll,
  isQuiet,
  SlotRecord,
  servesNobody,
} from "./slot-record.ts";

/** Whether a slot may be called. */
export type CallPermit = Granted | Denial;

/** That a slot may be called. */
interface Granted {
  /** Whether this call decides if the provider's key works again. */
  readonly isTrial: boolean;
  /** How often stored keys had changed when the call was admitted. */
  readonly keyChanges: number;
}

/**
 * Why a slot may not be called. `disabled`: by an operator. `cools`: its provider limits the rate. `out`: its
 * calls have failed.
 */
export type Denial = "disabled" | "key_refused" | "cools" | "out";

/** Returns whether a slot may not be called. */
export function isDenied(permit: CallPermit): permit is Denial {
  return typeof permit === "string";
}

/**
 * Decides which slots are called, by what the failures of their calls mean (see `FailureMeaning`), so
 * that requests do not wait for a provider that is down, and no account takes a slot from another:
 *
 * - `unreachable`: five in a row, of any accounts, take the slot out for all.
 * - `key_or_bill`: all slots of the provider's key are out at once. Once a minute one call is made. A slot
 *   whose provider has several keys is called with the others. A call that began before a stored key was
 *   replaced says nothing about the new key.
 * - `rate`: the slot, or the slot with one key of a pool, is not called for as long as the provider asks, a minute
 *   at most. Where the same
 *   account was limited the last time, and others were served since, it cools for that account alone, so
 *   that an account whose requests exceed the limit does not block the others.
 * - `trouble`: five in a row of one account take the slot out for that account. It is out for every
 *   account of which a call has failed while two accounts had five such failures and no request was
 *   served within 30 seconds.
 * - `too_large` and `bad_request` do not count.
 *
 * A slot that is out gets one trial call after a second; each that fails doubles the pause, up to 30
 * seconds. One that succeeds brings it back. Each process has its own state.
 */
export interface Breakers {
  /**
   * Returns whether a request of the account may call the slot now. Unless it is denied, the result must
   * be recorded by `succeeded`, `failed` or `abandoned`.
   */
  admit(slot: Slot, accountId: string): CallPermit;
  succeeded(slot: Slot, accountId: string, permit: CallPermit): void;
  failed(slot: Slot, accountId: string, permit: CallPermit, failure: SlotFailure): void;
  /** Ends a call without a result for the slot, for instance because the client disconnected. */
  abandoned(slot: Slot, accountId: string, permit: CallPermit): void;
  /** Returns for how long a rate limit keeps the account from calling the slot; else undefined. */
  coolsForMs(slot: Slot, accountId: string): number | undefined;
  /** Returns the ids of the slots that are out for all accounts. */
  open(): string[];
  refusedKeys(): KeyRefusal[];
  /** Forgets the refused keys that are no longer in the catalog. */
  keepKeys(isInCatalog: (key: KeyRefusal) => boolean): void;
  /**
   * Forgets that the key in a stored secret was refused: it has another value now, which all calls that are
   * admitted from now on are sent.
   */
  secretChanged(name: string): void;
}

/** Receives the changes, for metrics and the log. */
export interface BreakerObserver {
  /** Called when a slot is out for all accounts, and when it is back. */
  slotChanged(slotId: string, isOut: boolean): void;
  /** Called when a provider's key is refused, and when it works again. */
  keyChanged(key: KeyRefusal, isRefused: boolean): void;
}

/** Creates closed breakers. */
export function createBreakers(
  now: () => number,
  observer?: BreakerObserver,
  env: Environment = {},
): Breakers {
  return new SlotBreakers(now, observer, env);
}

class SlotBreakers implements Breakers {
  readonly #now: () => number;
  readonly #observer: BreakerObserver | undefined;
  readonly #records = new Map<string, SlotRecord>();
  readonly #accounts = new AccountStreaks();
  readonly #env: Environment;
  readonly #keys: RefusedKeys;
  /** By the name of a stored key: `keyChanges` of the calls that are sent its value of now. */
  readonly #changedSecrets = new Map<string, number>();
  // One object for all calls: a request makes none.
  #granted: Granted = { isTrial: false, keyChanges: 0 };
  #trial: Granted = { isTrial: true, keyChanges: 0 };

  constructor(now: () => number, observer: BreakerObserver | undefined, env: Environment) {
    this.#now = now;
    this.#observer = observer;
    this.#env = env;
    this.#keys = new RefusedKeys(env);
  }

  admit(slot: Slot, accountId: string): CallPermit {
    const record = this.#records.get(slot.id);
    const areKeysTaken = this.#keys.isEmpty;
    if (areKeysTaken && (record === undefined || isQuiet(record))) return this.#granted;
    const now = this.#now();
    if (!areKeysTaken && this.#keys.isOut(slot.provider, now)) {
      if (this.#keys.addSlot(slot)) this.#observer?.slotChanged(slot.id, true);
      return "key_refused";
    }
    if (record !== undefined) {
      if (coolingOf(record, slot)?.appliesTo(accountId, now)) return "cools";
      if (!this.#admitToSlot(record, accountId, now)) return "out";
    }
    return !areKeysTaken && this.#keys.startTrial(slot.provider) ? this.#trial : this.#granted;
  }

  #admitToSlot(record: SlotRecord, accountId: string, now: number): boolean {
    const { unreached } = record;
    const isUnreached = unreached !== undefined && unreached.failures >= failuresToOpen;
    if (isUnreached && !unreached.isDue(now)) return false;
    const streak = record.streaks === 0 ? undefined : this.#accounts.get(record.slotId, accountId);
    const failuresAllowed = isOutForAll(record, now) ? 1 : failuresToOpen;
    const isOut = streak !== undefined && streak.failures >= failuresAllowed;
    if (isOut && !streak.isDue(now, record.recoveredAt)) return false;
    if (isUnreached) unreached.startTrial();
    if (isOut) streak.startTrial();
    return true;
  }

  succeeded(slot: Slot, accountId: string, permit: CallPermit): void {
    const now = this.#now();
    const record = this.#recordOf(slot);
    const wasOutForAll = isOutForAll(record, now);
    record.lastSuccessAt = now;
    const wasQuiet = isQuiet(record);
    coolingOf(record, slot)?.serve(accountId, now);
    if (this.#isKeyTrial(slot, permit)) this.#restoreKey(slot);
    if (wasQuiet) return;
    if (wasOutForAll) record.recoveredAt = now;
    record.unreached = undefined;
    this.#endStreak(record, accountId);
    this.#report(record, now);
  }

  failed(slot: Slot, accountId: string, permit: CallPermit, failure: SlotFailure): void {
    const { meaning } = failure;
    const isOfKey = meaning === "key_or_bill" || meaning === "rate";
    if (isOfKey && this.#hasOldKey(slot, permit)) {
      this.abandoned(slot, accountId, permit);
      return;
    }
    const now = this.#now();
    const record = this.#recordOf(slot);
    if (meaning === "key_or_bill")
      this.#refuseKey(slot, failure, now, this.#isKeyTrial(slot, permit));
    else if (this.#isKeyTrial(slot, permit)) this.#endKeyTrial(slot, failure);
    if (meaning === "unreachable") {
      record.unreached ??= new FailureStreak();
      record.unreached.fail(now);
    } else if (failure.kind !== "unreachable" || meaning === "trouble") {
      record.unreached = undefined;
    } else {
      record.unreached?.abandon();
    }
    if (meaning === "trouble") this.#extendStreak(record, accountId, now);
    else this.#abandonStreak(record, accountId);
    if (meaning === "rate") cool(record, slot, { accountId, failure, now });
    this.#report(record, now);
  }

  abandoned(slot: Slot, accountId: string, permit: CallPermit): void {
    if (this.#isKeyTrial(slot, permit)) this.#keys.abandonTrial(slot.provider);
    const record = this.#records.get(slot.id);
    if (record === undefined || isQuiet(record)) return;
    record.unreached?.abandon();
    this.#abandonStreak(record, accountId);
  }

  coolsForMs(slot: Slot, accountId: string): number | undefined {
    const record = this.#records.get(slot.id);
    const cooling = record === undefined ? undefined : coolingOf(record, slot);
    const now = this.#now();
    return cooling?.appliesTo(accountId, now) ? cooling.until - now : undefined;
  }

  open(): string[] {
    const out = [...this.#records.values()].filter(({ isReportedOut }) => isReportedOut);
    return [...new Set([...out.map(({ slotId }) => slotId), ...this.#keys.slotIds()])];
  }

  refusedKeys(): KeyRefusal[] {
    return this.#keys.list();
  }

  keepKeys(isInCatalog: (key: KeyRefusal) => boolean): void {
    for (const key of this.#keys.list()) if (!isInCatalog(key)) this.#forgetKey(key);
  }

  secretChanged(name: string): void {
    const keyChanges = this.#granted.keyChanges + 1;
    this.#changedSecrets.set(name, keyChanges);
    this.#granted = { isTrial: false, keyChanges };
    this.#trial = { isTrial: true, keyChanges };
    for (const key of this.#keys.ofSecret(name)) this.#forgetKey(key);
  }

  /** Whether a call was admitted before its stored key got the value of now. */
  #hasOldKey({ provider: { secret } }: Slot, permit: CallPermit): boolean {
    if (secret === undefined || isDenied(permit)) return false;
    return permit.keyChanges < (this.#changedSecrets.get(secret) ?? 0);
  }

  #isKeyTrial(slot: Slot, permit: CallPermit): boolean {
    return !isDenied(permit) && permit.isTrial && !this.#hasOldKey(slot, permit);
  }

  #forgetKey(key: KeyRefusal): void {
    const slotIds = this.#keys.forget(key);
    this.#observer?.keyChanged(key, false);
    this.#reportSlots(slotIds);
  }

  #recordOf({ id }: Slot): SlotRecord {
    const known = this.#records.get(id);
    if (known !== undefined) return known;
    const record = new SlotRecord(id);
    this.#records.set(id, record);
    return record;
  }

  #extendStreak(record: SlotRecord, accountId: string, now: number): void {
    const streak = this.#accounts.touch(record.slotId, accountId, (forgotten) => {
      const of = this.#records.get(forgotten.slotId);
      if (of !== undefined) forgetStreak(of, forgotten.streak);
    });
    if (streak.failures === 0) record.streaks += 1;
    streak.fail(now);
    if (streak.failures === failuresToOpen) record.openStreaks += 1;
  }

  #endStreak(record: SlotRecord, accountId: string): void {
    if (record.streaks === 0) return;
    const streak = this.#accounts.get(record.slotId, accountId);
    if (streak === undefined) return;
    this.#accounts.delete(record.slotId, accountId);
    forgetStreak(record, streak);
  }

  #abandonStreak({ slotId, streaks }: SlotRecord, accountId: string): void {
    if (streaks > 0) this.#accounts.get(slotId, accountId)?.abandon();
  }

  #refuseKey(slot: Slot, { said = "", status = 0 }: SlotFailure, now: number, isTrial: boolean) {
    const { provider } = slot;
    const key = { provider: provider.name, key: keyNameOf(provider, this.#env), said, status };
    const isNew = this.#keys.refuse(provider, key, now, isTrial);
    if (isNew) this.#observer?.keyChanged(key, true);
    if (this.#keys.addSlot(slot)) this.#observer?.slotChanged(slot.id, true);
  }

  /** A provider that responds otherwise has accepted the key. Without a response, the trial has no result. */
  #endKeyTrial(slot: Slot, { kind }: SlotFailure): void {
    if (kind !== "unreachable") this.#restoreKey(slot);
    else this.#keys.abandonTrial(slot.provider);
  }

  #restoreKey({ provider }: Slot): void {
    const restored = this.#keys.restore(provider);
    if (restored === undefined) return;
    this.#observer?.keyChanged(restored.key, false);
    this.#reportSlots(restored.slotIds);
  }

  /** Reports slots with a key that works again to the observer. */
  #reportSlots(slotIds: readonly string[]): void {
    for (const slotId of slotIds) {
      const isOut = this.#records.get(slotId)?.isReportedOut ?? false;
      this.#observer?.slotChanged(slotId, isOut);
    }
  }

  /** Reports to the observer that the slot is out, or is back, if that has changed. */
  #report(record: SlotRecord, now: number): void {
    const isOut = servesNobody(record, now);
    if (isOut === record.isReportedOut) return;
    record.isReportedOut = isOut;
    if (!this.#keys.has(record.slotId)) this.#observer?.slotChanged(record.slotId, isOut);
  }
}
