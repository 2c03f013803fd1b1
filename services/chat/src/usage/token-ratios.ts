import type { Slot } from "@tollgate/catalog/model";
import { LRUCache } from "lru-cache";

/** How many slots' ratios a process knows. Those that are used least are forgotten. */
const maxSlots = 1_024;
/** How many accounts a slot's ratio is learnt from: those whose calls were learnt from last. */
const maxAccounts = 32;
/** o200k_base counts less than the tokenizers of some models, and more than few. */
const [leastRatio, mostRatio] = [0.5, 2];
/** The calls of a slot that are all learnt from, and of how many later ones one is. */
const firstCalls = 8;
const everyCalls = 64;
/** Short prompts consist mostly of what a provider adds to them. */
const minTokens = 1_000;
/** The least that a provider counts for such a prompt. */
const leastProviderTokens = BigInt(minTokens * leastRatio);
/** Once an account's prompts have so many tokens, the older ones count half. */
const maxTokens = 64_000;

/** What a provider counted of prompts, and what the tokenizer did. */
interface Counted {
  provider: number;
  counted: number;
}

interface Learnt {
  ratio: number;
  calls: number;
  accounts: LRUCache<string, Counted>;
}

/**
 * What the models of slots count for a text, divided by what o200k_base counts: learnt from the prompts
 * of a sample of completed calls, from 0.5 to 2, and 1 before. Each account has a ratio, that of the sums
 * of its prompts; a slot's is their median, so that one account cannot choose the others'.
 */
export class TokenRatios {
  readonly #slots = new LRUCache<string, Learnt>({ max: maxSlots });

  of({ id }: Pick<Slot, "id">): number {
    return this.#slots.get(id)?.ratio ?? 1;
  }

  /** Returns whether a prompt of so many tokens, as its provider counts, may be long enough to learn from. */
  isLongEnough(promptTokens: bigint): boolean {
    return promptTokens >= leastProviderTokens;
  }

  /** Counts a completed call of a slot. Returns whether its prompt is to be learnt from. */
  isWanted({ id }: Pick<Slot, "id">): boolean {
    let learnt = this.#slots.get(id);
    if (learnt === undefined) {
      learnt = { ratio: 1, calls: 0, accounts: new LRUCache({ max: maxAccounts }) };
      this.#slots.set(id, learnt);
    }
    learnt.calls += 1;
    return learnt.calls <= firstCalls || learnt.calls % everyCalls === 0;
  }

  /** Learns from the prompt of an account's call. */
  learn(
    { id }: Pick<Slot, "id">,
    { accountId, provider, counted }: Counted & { accountId: string },
  ): void {
    const learnt = this.#slots.get(id);
    if (learnt === undefined || counted < minTokens) return;
    const before = learnt.accounts.get(accountId) ?? { provider: 0, counted: 0 };
    const weight = before.counted > maxTokens ? 0.5 : 1;
    learnt.accounts.set(accountId, {
      provider: before.provider * weight + provider,
      counted: before.counted * weight + counted,
    });
    const ratio = medianOf([...learnt.accounts.values()].map((one) => one.provider / one.counted));
    learnt.ratio = Math.min(Math.max(ratio, leastRatio), mostRatio);
  }
}

/** Returns the median; of an even number, the mean of the two in the middle. */
function medianOf(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 1, high = 1] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
