import type { JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
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

/**
 * Returns the context of such a response. Its provider has read the prompt and reports no usage: the prompt
 * is counted, since a client could have any prompt read for nothing otherwise.
 */
export function filteredContext(context: ResponseContext): ResponseContext {
  return { ...context, readUsageBlock: () => undefined };
}
