import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { SlotFailure } from "@tollgate/upstream/failure";
import { countedUsage } from "./usage/usage.ts";
import type { WithChoices } from "./wires/chat/completion.ts";
import type { ResponseContext } from "./wires/response-context.ts";

/** Returns whether an attempt failed because a provider's filter of contents has stopped the request. */
export function isFiltered(error: unknown): boolean {
  return error instanceof SlotFailure && error.isFiltered;
}

const choice = { index: 0, logprobs: null, finish_reason: "content_filter" };
const message = { role: "assistant", content: "" };

/** Returns the completion that a filter leaves of a request: none of it was generated. */
export function filteredCompletion(): WithChoices {
  return { choices: [{ ...choice, message: { ...message, refusal: null } }], usage: {} };
}

/** Yields the same as the chunks of a stream. */
export async function* filteredChunks(): AsyncGenerator<JsonObject> {
  yield { choices: [{ ...choice, delta: message }], usage: {} };
}

/** What such a provider has reported is nothing, and nothing else is billed: no tokens are counted for it. */
const nothing: ChatUsage = { ...countedUsage(0n, 0n), basis: "provider" };

/** Returns the context of such a response. */
export function filteredContext(context: ResponseContext): ResponseContext {
  return { ...context, readUsageBlock: () => nothing };
}
