import { minOf, type NanoUsd } from "@tollgate/core/money";
import type { Rate, Rates } from "@tollgate/core/rates";
import type { Extension } from "./hold-extender.ts";

/** What a shared hold reserves, of the wallet and of the limits of a key. */
export interface SharedAmounts {
  amountNanoUsd: NanoUsd;
  /** How many requests may begin. */
  requests: number;
  tokens: bigint;
  /** How many requests may be in progress at once. */
  inProgress: number;
}

/** What one request reserves of a shared hold, besides its place among the requests. */
export interface HoldPart {
  amount: NanoUsd;
  tokens: bigint;
}

/** The part of a shared hold that a request has at its end, and that its usage event captures. */
export interface TakenPart extends HoldPart {
  /** 1 where it counts as a request in progress. */
  inProgress: number;
}

export interface SharedHoldOptions {
  id: string;
  amounts: SharedAmounts;
  expiresInMs: number;
  extension: Extension;
  /** When the ledger was called for it, of `performance.now()`. */
  requestedAtMs: number;
  /** Whether its requests have limits. If not, only its money is counted. */
  isLimited: boolean;
  /** What was left beside the hold when it was taken. */
  rates?: Rates | undefined;
}

/**
 * A hold in the ledger that requests share. Each reserves a part without a call to the ledger, and
 * returns what it did not use for the next request. What the ledger has in the hold is always the
 * sum of what is unused, of the parts of running requests, and of what the usage events that the
 * ledger has not captured yet take.
 */
export class SharedHold {
  readonly id: string;
  readonly expiresInMs: number;
  /** Ends when the hold is not in use any more. */
  readonly extension: Extension;
  readonly #options: SharedHoldOptions;
  readonly #unused: SharedAmounts;
  #isOpen = true;
  #requests = 0;

  constructor(options: SharedHoldOptions) {
    this.id = options.id;
    this.expiresInMs = options.expiresInMs;
    this.extension = options.extension;
    this.#options = options;
    this.#unused = { ...options.amounts };
  }

  /** Whether it counts its requests as in progress. */
  get isLimited(): boolean {
    return this.#options.isLimited;
  }

  /** Whether a request uses it, or may still reserve a part. */
  get isInUse(): boolean {
    return this.#isOpen || this.#requests > 0;
  }

  /** What is left of the rates: beside the hold when it was taken, and unused in it now. */
  get rates(): Rates | undefined {
    const { rates, requestedAtMs } = this.#options;
    if (rates === undefined) return undefined;
    const elapsedMs = performance.now() - requestedAtMs;
    return {
      requests: withUnused(rates.requests, BigInt(this.#unused.requests), elapsedMs),
      tokens: withUnused(rates.tokens, this.#unused.tokens, elapsedMs),
    };
  }

  /** Reserves a part for a request. Returns false when less is unused, or it may have expired. */
  reserve(part: HoldPart): boolean {
    const { requestedAtMs, isLimited } = this.#options;
    // A process that was suspended for long does not know whether the hold has expired.
    if (performance.now() > requestedAtMs + this.expiresInMs / 2) return false;
    const unused = this.#unused;
    if (part.amount > unused.amountNanoUsd) return false;
    if (isLimited) {
      const isShort = unused.requests === 0 || unused.inProgress === 0;
      if (isShort || part.tokens > unused.tokens) return false;
      unused.requests -= 1;
      unused.inProgress -= 1;
      unused.tokens -= part.tokens;
    }
    unused.amountNanoUsd -= part.amount;
    this.#requests += 1;
    return true;
  }

  /**
   * Settles a request that reserved `part` and used `used`. Returns what its usage event takes from
   * the hold: what it used or, once the hold is closed to others, all of its part.
   */
  settle(part: TakenPart, used: HoldPart): TakenPart {
    const { isLimited } = this.#options;
    const tokens = isLimited ? part.tokens : 0n;
    if (!this.#isOpen) return { ...part, tokens };
    const taken = { amount: minOf(part.amount, used.amount), tokens: minOf(tokens, used.tokens) };
    this.#unused.amountNanoUsd += part.amount - taken.amount;
    this.#unused.tokens += tokens - taken.tokens;
    this.#unused.inProgress += part.inProgress;
    return { ...taken, inProgress: 0 };
  }

  /**
   * Lets another request have the place among those in progress of one that goes on without its client.
   * Returns false where the hold is closed: the place is then to be released in the ledger.
   */
  returnPlace(): boolean {
    if (this.#isOpen) this.#unused.inProgress += 1;
    return this.#isOpen;
  }

  /** Removes a request whose usage event is durable. */
  removeRequest(): void {
    this.#requests -= 1;
  }

  /** Closes it to further requests. Returns what is unused, which is to be released. */
  close(): SharedAmounts {
    const unused = { ...this.#unused };
    this.#isOpen = false;
    Object.assign(this.#unused, { amountNanoUsd: 0n, requests: 0, tokens: 0n, inProgress: 0 });
    return unused;
  }
}

function withUnused(rate: Rate | undefined, unused: bigint, elapsedMs: number): Rate | undefined {
  if (rate === undefined) return undefined;
  const remaining = minOf(rate.remaining + unused, rate.limit);
  return { ...rate, remaining, resetMs: Math.max(0, Math.ceil(rate.resetMs - elapsedMs)) };
}
