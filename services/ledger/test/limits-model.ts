import { minOf, type NanoUsd } from "@tollgate/core/money";
import { LimitKind } from "@tollgate/proto/tollgate/v1/limits";

export interface ModelLimits {
  budget: NanoUsd | undefined;
  parallel: number | undefined;
}

export interface ModelRequest {
  keyId: string;
  estimate: NanoUsd;
  isWhole: boolean;
}

/** A wallet, its holds, and the limits of its account and keys: what the ledger must have. */
export class ModelAccount {
  balance: NanoUsd;
  readonly limits = new Map<string, ModelLimits>();
  readonly holds = new Map<string, { keyId: string; amount: NanoUsd }>();
  readonly #id: string;
  readonly #charged = new Map<string, NanoUsd>();

  constructor(id: string, balance: NanoUsd) {
    this.#id = id;
    this.balance = balance;
  }

  held(ownerId = this.#id): NanoUsd {
    return this.#holdsOf(ownerId).reduce((sum, { amount }) => sum + amount, 0n);
  }

  inProgress(ownerId: string): number {
    return this.#holdsOf(ownerId).length;
  }

  /** What an owner with a budget was charged. */
  spent(ownerId: string): NanoUsd {
    const hasBudget = this.limits.get(ownerId)?.budget !== undefined;
    return hasBudget ? (this.#charged.get(ownerId) ?? 0n) : 0n;
  }

  /** Takes a hold. Returns its amount and the kind of the limit that refused it. */
  take(id: string, { keyId, estimate, isWhole }: ModelRequest) {
    const owners = this.#limited(keyId);
    const amountOf = (available: NanoUsd) =>
      isWhole && available < estimate ? 0n : maxOf(0n, minOf(estimate, available));
    const available = this.balance - this.held();
    const amount = amountOf(minOf(available, this.#left(owners) ?? available));
    if (amount === 0n && (estimate > 0n || owners.length === 0)) {
      return { amount, refusal: amountOf(available) > 0n ? LimitKind.BUDGET : undefined };
    }
    if (owners.some((owner) => this.inProgress(owner) >= (this.#parallel(owner) ?? Infinity))) {
      return { amount: 0n, refusal: LimitKind.PARALLEL };
    }
    this.holds.set(id, { keyId, amount });
    return { amount, refusal: undefined };
  }

  /** Adds to a hold. Returns what was added. */
  grow(id: string, estimate: NanoUsd): NanoUsd {
    const hold = this.holds.get(id);
    if (hold === undefined) return 0n;
    const available = this.balance - this.held();
    const left = this.#left(this.#limited(hold.keyId)) ?? available;
    const added = maxOf(0n, minOf(estimate, minOf(available, left)));
    hold.amount += added;
    return added;
  }

  /** Captures the usage of a request, whose hold may have been released. Returns the charge. */
  capture(id: string, keyId: string, cost: NanoUsd): NanoUsd {
    const released = this.holds.get(id)?.amount ?? 0n;
    this.holds.delete(id);
    const due = minOf(cost, this.balance - this.held());
    const left = this.#left(this.#limited(keyId));
    const charged = left === undefined ? due : minOf(due, maxOf(released, left));
    this.balance -= charged;
    for (const owner of [keyId, this.#id]) {
      this.#charged.set(owner, (this.#charged.get(owner) ?? 0n) + charged);
    }
    return charged;
  }

  #limited(keyId: string): string[] {
    return [keyId, this.#id].filter((owner) => this.limits.has(owner));
  }

  #left(owners: readonly string[]): NanoUsd | undefined {
    const left = owners.flatMap((owner) => {
      const budget = this.limits.get(owner)?.budget;
      return budget === undefined ? [] : [budget - this.spent(owner) - this.held(owner)];
    });
    return left.length === 0 ? undefined : left.reduce(minOf);
  }

  #parallel(owner: string): number | undefined {
    return this.limits.get(owner)?.parallel;
  }

  #holdsOf(ownerId: string) {
    const all = [...this.holds.values()];
    return ownerId === this.#id ? all : all.filter(({ keyId }) => keyId === ownerId);
  }
}

function maxOf(left: NanoUsd, right: NanoUsd): NanoUsd {
  return left > right ? left : right;
}
