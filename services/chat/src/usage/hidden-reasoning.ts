import type { Model, Slot } from "@tollgate/catalog/model";
import { switchesReasoning } from "@tollgate/catalog/passed-members";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { vendorChatOf } from "@tollgate/providers/vendor-of";
import { LRUCache } from "lru-cache";
import type { ClientRequest } from "../wires/client-request.ts";

/** How many slots are known to hide reasoning. Those that are used least are forgotten. */
const maxSlots = 1_024;

/** A request as the slots of its model are sent it. */
export interface ReasoningRequest {
  model: Pick<Model, "reasoning" | "chain" | "passes">;
  translated: ReadonlyMap<Slot, JsonObject>;
  client: Pick<ClientRequest, "json" | "mayHave">;
}

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

  /**
   * Returns whether a slot of the model hides reasoning: true where the request switches on thinking that
   * the provider does not report, or has a member of the vendor's own that may hide it; else as the catalog
   * says; else by completed requests.
   */
  isIn(request: ReasoningRequest): boolean {
    const { reasoning, chain } = request.model;
    let isForwarded = false;
    for (const slot of chain) {
      if (
        vendorChatOf(slot).reportsOutputSoFar(slot.upstreamModel) ||
        slot.provider.continuousUsage
      )
        continue;
      if (reasoning === "hidden" || thinksUnreported(slot, request)) return true;
      if (reasoning === undefined && this.#hiding.has(slot.id)) return true;
      isForwarded ||= !request.translated.has(slot);
    }
    return isForwarded && hasSwitch(request.model, request.client);
  }
}

/**
 * Returns whether a request has a member of `passes` that may switch reasoning on and its text off. What
 * such a request shows says nothing of others.
 */
export function hasSwitch(
  { passes }: Pick<Model, "passes">,
  client: Pick<ClientRequest, "json" | "mayHave">,
): boolean {
  for (const name of passes) {
    if (!client.mayHave(name)) continue;
    const value = client.json[name];
    // An object may have any switch of the vendor.
    if (isJsonObject(value) || (value !== undefined && switchesReasoning(name))) return true;
  }
  return false;
}

/** The client chooses whether thinking is sent, so that its absence from one stream teaches nothing. */
function thinksUnreported(slot: Slot, { translated, client }: ReasoningRequest): boolean {
  const { thinksUnreported: thinks } = vendorChatOf(slot);
  if (thinks === undefined) return false;
  const chat = translated.get(slot);
  if (chat !== undefined) return thinks(chat);
  return client.mayHave("thinking") && thinks(client.json);
}
