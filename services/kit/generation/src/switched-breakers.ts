import type { Slot } from "@tollgate/catalog/model";
import type { Breakers, CallPermit } from "@tollgate/upstream/breaker";
import type { SlotFailure } from "@tollgate/upstream/failure";
import type { KeyRefusal } from "@tollgate/upstream/refused-keys";

/** Breakers that also admit no slot which an operator has disabled. */
export class SwitchedBreakers implements Breakers {
  readonly #breakers: Breakers;
  readonly #isDisabled: (slotId: string) => boolean;

  constructor(breakers: Breakers, isDisabled: (slotId: string) => boolean) {
    this.#breakers = breakers;
    this.#isDisabled = isDisabled;
  }

  admit(slot: Slot, accountId: string): CallPermit {
    return this.#isDisabled(slot.id) ? "disabled" : this.#breakers.admit(slot, accountId);
  }

  succeeded(slot: Slot, accountId: string, permit: CallPermit): void {
    this.#breakers.succeeded(slot, accountId, permit);
  }

  failed(slot: Slot, accountId: string, permit: CallPermit, failure: SlotFailure): void {
    this.#breakers.failed(slot, accountId, permit, failure);
  }

  abandoned(slot: Slot, accountId: string, permit: CallPermit): void {
    this.#breakers.abandoned(slot, accountId, permit);
  }

  coolsForMs(slot: Slot, accountId: string): number | undefined {
    return this.#isDisabled(slot.id) ? undefined : this.#breakers.coolsForMs(slot, accountId);
  }

  open(): string[] {
    return this.#breakers.open();
  }

  refusedKeys(): KeyRefusal[] {
    return this.#breakers.refusedKeys();
  }

  keepKeys(isInCatalog: (key: KeyRefusal) => boolean): void {
    this.#breakers.keepKeys(isInCatalog);
  }

  secretChanged(name: string): void {
    this.#breakers.secretChanged(name);
  }
}
