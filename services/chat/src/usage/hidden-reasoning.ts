import type { Model, Slot } from "@tollgate/catalog/model";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { vendorChatOf } from "@tollgate/providers/vendor-of";
import { LRUCache } from "lru-cache";

/** How many slots are known to hide reasoning. Those that are used least are forgotten. */
const maxSlots = 1_024;

/**
 * Which slots bill tokens of reasoning without sending their text: what they cost is not known before
 * their provider says it at the end.
 */
export class HiddenReasoning {
  readonly #hiding = new LRUCache<string, true>({ max: maxSlots });

  /** Learns from a completed call. A slot that has hidden reasoning once may always do so. */
  learn({ id }: Pick<Slot, "id">, usage: ChatUsage, showsReasoning: boolean): void {
    if (usage.reasoningTokens > 0n && !showsReasoning) this.#hiding.set(id, true);
  }

  /** Returns whether a slot of the model hides reasoning: as the catalog says, else as is learnt. */
  isIn({ reasoning, chain }: Pick<Model, "reasoning" | "chain">): boolean {
    if (reasoning === "shown") return false;
    return chain.some((slot) => {
      if (vendorChatOf(slot).reportsOutputSoFar || slot.provider.continuousUsage) return false;
      return reasoning === "hidden" || this.#hiding.has(slot.id);
    });
  }
}
