import type { Model, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatAdapter } from "./chat-adapter.ts";
import type { ChatUsage } from "./chat-usage.ts";
import { vendorChatOf } from "./vendor-of.ts";

/** Resolves with the adapter of a slot; with undefined where its provider speaks OpenAI's wire. */
export async function chatAdapterOf(slot: Slot): Promise<ChatAdapter | undefined> {
  return vendorChatOf(slot).load?.();
}

/** Returns whether a slot's provider speaks a wire other than OpenAI's, which an adapter translates to. */
export function isAdapted(slot: Slot): boolean {
  return vendorChatOf(slot).load !== undefined;
}

/**
 * Throws a GatewayError where a slot of the model cannot be sent the whole request. `request` is
 * called only where a slot takes less than OpenAI's API.
 */
export async function checkChat(
  { chain }: Pick<Model, "chain">,
  request: () => JsonObject,
): Promise<void> {
  let members: JsonObject | undefined;
  for (const slot of chain) {
    const { check, load } = vendorChatOf(slot);
    if (check === undefined && load === undefined) continue;
    members ??= request();
    check?.(slot, members);
    (await load?.())?.check(slot, members);
  }
}

/** Reads the usage block of a slot's response; undefined for a block that cannot be billed from. */
export function readUsageOfKind(slot: Slot, block: unknown): ChatUsage | undefined {
  return vendorChatOf(slot).readUsageBlock(block);
}
