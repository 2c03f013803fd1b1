import { minOf, type NanoUsd } from "@tollgate/core/money";
import { LimitKind } from "@tollgate/proto/tollgate/v1/limits";

export interface ModelLimits {
  budget: NanoUsd | undefined;
  parallel: number | undefined;
  /** Of a key: the budget of each of its end users. */
  userBudget?: NanoUsd | undefined;
}

export interface ModelRequest {
  keyId: string;
  endUser: string;
  estimate: NanoUsd;
  isWhole: boolean;
}

type Payer = Pick<ModelRequest, "keyId" | "endUser">;

/** Returns the owner of the limits of an end user. */
export function userOwner({ keyId, endUser }: Payer): string {
  return `${keyId}:${endUser}`;
}

/** A wallet, its holds, and the limits of its account, keys and end users: what the ledger must have. */
export class ModelAccount {
  balance: NanoUsd;
  readonly limits = new Map<string, ModelLimits>();
  readonly holds = new Map<string, { keyId: string; endUser: string; amount: NanoUsd }>();
  readonly #id: string;
  readonly #charged = new Map<string, NanoUsd>();

  constructor(id: string, balance: NanoUsd) {
    this.#id = id;
    this.balance = balance;
  }

  held(ownerId = this.#id): NanoUsd {
    return this.#holdsOf(ownerId).reduce((sum, { amount }) => sum + amount, 0n);
  }

  /** Returns whether an end user with limits holds something. */
  hasUserHold(owner: string): boolean {
    return this.#limitsOf(owner) !== undefined && this.#holdsOf(owner).length > 0;
  }

  inProgress(ownerId: string): number {
    return this.#holdsOf(ownerId).length;
  }

  /** What an owner with a budget was charged. */
  spent(ownerId: string): NanoUsd {
    const hasBudget = this.#limitsOf(ownerId)?.budget !== undefined;
    return hasBudget ? (this.#charged.get(ownerId) ?? 0n) : 0n;
  }

  /** Takes a hold. Returns its amount and the kind of the limit that refused it. */
  take(id: string, { estimate, isWhole, ...payer }: ModelRequest) {
    const owners = this.#limited(payer);
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
    this.holds.set(id, { ...payer, amount });
    return { amount, refusal: undefined };
  }

  /** Adds to a hold. Returns what was added. */
  grow(id: string, estimate: NanoUsd): NanoUsd {
    const hold = this.holds.get(id);
    if (hold === undefined) return 0n;
    const available = this.balance - this.held();
    const left = this.#left(this.#limited(hold)) ?? available;
    const added = maxOf(0n, minOf(estimate, minOf(available, left)));
    hold.amount += added;
    return added;
  }

  /** Captures the usage of a request, whose hold may have been released. Returns the charge. */
  capture(id: string, payer: Payer, cost: NanoUsd): NanoUsd {
    const released = this.holds.get(id)?.amount ?? 0n;
    this.holds.delete(id);
    const due = minOf(cost, this.balance - this.held());
    const left = this.#left(this.#limited(payer));
    const charged = left === undefined ? due : minOf(due, maxOf(released, left));
    this.balance -= charged;
    for (const owner of this.#ownersOf(payer)) {
      this.#charged.set(owner, (this.#charged.get(owner) ?? 0n) + charged);
    }
    return charged;
  }

  #ownersOf(payer: Payer): string[] {
    return [userOwner(payer), payer.keyId, this.#id];
  }

  #limited(payer: Payer): string[] {
    return this.#ownersOf(payer).filter((owner) => this.#limitsOf(owner) !== undefined);
  }

  #limitsOf(owner: string): ModelLimits | undefined {
    const [keyId = "", endUser] = owner.split(":");
    if (endUser === undefined) return this.limits.get(owner);
    const budget = this.limits.get(keyId)?.userBudget;
    return budget === undefined ? undefined : { budget, parallel: undefined };
  }

  #left(owners: readonly string[]): NanoUsd | undefined {
    const left = owners.flatMap((owner) => {
      const budget = this.#limitsOf(owner)?.budget;
      return budget === undefined ? [] : [budget - this.spent(owner) - this.held(owner)];
    });
    return left.length === 0 ? undefined : left.reduce(minOf);
  }

  #parallel(owner: string): number | undefined {
    return this.#limitsOf(owner)?.parallel;
  }

  #holdsOf(ownerId: string) {
    const all = [...this.holds.values()];
    return all.filter((hold) => this.#ownersOf(hold).includes(ownerId));
  }
}

function maxOf(left: NanoUsd, right: NanoUsd): NanoUsd {
  return left > right ? left : right;
}
