import { keySlotsOf } from "@tollgate/catalog/key-pool";
import type { Provider, Slot } from "@tollgate/catalog/model";
import type { Environment } from "@tollgate/core/config";
import { keyNameOf } from "../api-key.ts";

/** How often a key that its provider refuses is tried again. */
const trialEveryMs = 60_000;

/** A provider's key that the provider refuses, or whose bill is not paid. */
export interface KeyRefusal {
  /** The name of the provider in the catalog. */
  readonly provider: string;
  /** See `keyNameOf`. */
  readonly key: string;
  /** What the provider said, without the key; empty where it said nothing. */
  readonly said: string;
  /** The status of the refusal; 0 for an error within a response. */
  readonly status: number;
}

interface RefusedKeyState {
  key: KeyRefusal;
  /** The stored secret with the key. */
  secret: string | undefined;
  /** The slots that were not called with it. */
  readonly slotIds: Set<string>;
  retryAt: number;
  isTrialPending: boolean;
}

/** The keys that providers refuse. A slot is out if all of its keys are refused. */
export class RefusedKeys {
  readonly #env: Environment;
  readonly #states = new Map<string, RefusedKeyState>();
  readonly #outSlotIds = new Set<string>();

  /** `env` says which providers are called by the identity of the process. */
  constructor(env: Environment) {
    this.#env = env;
  }

  get isEmpty(): boolean {
    return this.#states.size === 0;
  }

  /** Whether calls to a provider wait: its key was refused, and its next trial is not due. */
  isOut(provider: Provider, now: number): boolean {
    const state = this.#states.get(this.#idOf(provider));
    return state !== undefined && (state.isTrialPending || now < state.retryAt);
  }

  /** Returns whether a call is the trial of the provider's key; its result must then be recorded. */
  startTrial(provider: Provider): boolean {
    const state = this.#states.get(this.#idOf(provider));
    if (state === undefined) return false;
    state.isTrialPending = true;
    return true;
  }

  /** Ends a trial that says nothing of the key: the next call is the trial. */
  abandonTrial(provider: Provider): void {
    const state = this.#states.get(this.#idOf(provider));
    if (state !== undefined) state.isTrialPending = false;
  }

  /**
   * Records a refusal, and returns whether the key was not out before. `isTrial`: of the trial call;
   * others began before the key was out.
   */
  refuse(provider: Provider, key: KeyRefusal, now: number, isTrial: boolean): boolean {
    const id = this.#idOf(provider);
    const known = this.#states.get(id);
    if (known === undefined) {
      const retryAt = now + trialEveryMs;
      const { secret } = provider;
      this.#states.set(id, { key, secret, slotIds: new Set(), retryAt, isTrialPending: false });
      return true;
    }
    if (isTrial) {
      known.key = key;
      known.retryAt = now + trialEveryMs;
      known.isTrialPending = false;
    }
    return false;
  }

  /** Records that a slot is not called with its key. Returns true if this takes the slot out. */
  addSlot(slot: Slot): boolean {
    this.#states.get(this.#idOf(slot.provider))?.slotIds.add(slot.id);
    if (this.#outSlotIds.has(slot.id) || !this.#isSlotOut(slot)) return false;
    this.#outSlotIds.add(slot.id);
    return true;
  }

  #isSlotOut(slot: Slot): boolean {
    return keySlotsOf(slot).every(({ provider }) => this.#states.has(this.#idOf(provider)));
  }

  /** Forgets a key that works again. Returns it with the slots that were out because of it. */
  restore(provider: Provider): { key: KeyRefusal; slotIds: readonly string[] } | undefined {
    const id = this.#idOf(provider);
    const state = this.#states.get(id);
    if (state === undefined) return undefined;
    return { key: state.key, slotIds: this.#delete(id, state) };
  }

  /** Forgets a key of `list`. Returns the slots that were out because of it. */
  forget(key: KeyRefusal): readonly string[] {
    for (const [id, state] of this.#states) if (state.key === key) return this.#delete(id, state);
    return [];
  }

  #delete(id: string, { slotIds }: RefusedKeyState): readonly string[] {
    this.#states.delete(id);
    return [...slotIds].filter((slotId) => this.#outSlotIds.delete(slotId));
  }

  /** Returns those of `list` that are in a stored secret. */
  ofSecret(name: string): KeyRefusal[] {
    const states = [...this.#states.values()].filter(({ secret }) => secret === name);
    return states.map(({ key }) => key);
  }

  list(): KeyRefusal[] {
    return [...this.#states.values()].map(({ key }) => key);
  }

  /** Whether a slot is out. */
  has(slotId: string): boolean {
    return this.#outSlotIds.has(slotId);
  }

  /** Returns the ids of the slots that are out. */
  slotIds(): readonly string[] {
    return [...this.#outSlotIds];
  }

  /** Two entries of the catalog with one key at one address are the same: what refuses it, refuses both. */
  #idOf(provider: Provider): string {
    const { name, baseUrl, baseUrlEnv } = provider;
    const key = keyNameOf(provider, this.#env);
    return key === "" ? name : `${key} ${baseUrl ?? baseUrlEnv ?? ""}`;
  }
}
