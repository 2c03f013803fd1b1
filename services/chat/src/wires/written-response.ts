import { codePoints } from "@tollgate/core/code-points";
import type { JsonObject } from "@tollgate/core/json";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { approximateUsage } from "../usage/usage.ts";
import { replaceMembers } from "./replace-members.ts";
import type { ResponseContext } from "./response-context.ts";
import type { ProviderJson, WireResponse } from "./wire.ts";

/** A response that does not report its cost. */
class WrittenResponse implements WireResponse {
  readonly usage: ChatUsage;
  readonly #body: Uint8Array;

  constructor(usage: ChatUsage, body: Uint8Array) {
    this.usage = usage;
    this.#body = body;
  }

  write(): Uint8Array {
    return this.#body;
  }
}

/** Returns a response that was translated from a chat completion. */
export function translatedResponse(response: JsonObject, usage: ChatUsage): WrittenResponse {
  return new WrittenResponse(usage, Buffer.from(JSON.stringify(response)));
}

/**
 * Returns a provider's response as it is, except for the model's name. Its usage is estimated from
 * `content` where it reports none.
 */
export function forwardedResponse(
  { bytes, value }: ProviderJson,
  content: unknown,
  context: ResponseContext,
): WrittenResponse {
  const body = replaceMembers(Buffer.from(bytes), { model: JSON.stringify(context.alias) });
  const usage =
    context.readUsage(value.usage) ??
    approximateUsage(context.promptCharacters, codePoints(JSON.stringify(content)), "approx4");
  return new WrittenResponse(usage, body);
}
