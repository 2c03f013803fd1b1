import type { Slot } from "@tollgate/catalog/model";
import { LRUCache } from "lru-cache";

/** How many slots' ratios a process knows. Those that are used least are forgotten. */
const maxSlots = 1_024;
/** o200k_base counts less than the tokenizers of some models, and more than few. */
const [leastRatio, mostRatio] = [0.5, 2];
/** The calls of a slot that are all learnt from, and of how many later ones one is. */
const firstCalls = 8;
const everyCalls = 64;
/** The weight of a call once the first ones are learnt. */
const leastWeight = 1 / 16;
/** Short prompts consist mostly of what a provider adds to them. */
const minTokens = 64;

interface Learnt {
  ratio: number;
  calls: number;
  learnt: number;
}

/**
 * What the models of slots count for a text, divided by what o200k_base counts: learnt from a sample
 * of completed calls, from 0.5 to 2, and 1 before.
 */
export class TokenRatios {
  readonly #slots = new LRUCache<string, Learnt>({ max: maxSlots });

  of({ id }: Pick<Slot, "id">): number {
    return this.#slots.get(id)?.ratio ?? 1;
  }

  /** Counts a completed call of a slot. Returns whether its tokens are to be learnt from. */
  isWanted({ id }: Pick<Slot, "id">): boolean {
    let learnt = this.#slots.get(id);
    if (learnt === undefined) {
      learnt = { ratio: 1, calls: 0, learnt: 0 };
      this.#slots.set(id, learnt);
    }
    learnt.calls += 1;
    return learnt.calls <= firstCalls || learnt.calls % everyCalls === 0;
  }

  /** Learns from a call: what its provider counted, and what the tokenizer did. */
  learn({ id }: Pick<Slot, "id">, provider: number, counted: number): void {
    const learnt = this.#slots.get(id);
    if (learnt === undefined || counted < minTokens) return;
    const ratio = Math.min(Math.max(provider / counted, leastRatio), mostRatio);
    learnt.learnt += 1;
    learnt.ratio += (ratio - learnt.ratio) * Math.max(1 / learnt.learnt, leastWeight);
  }
}
