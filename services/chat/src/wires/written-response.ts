import type { JsonObject } from "@tollgate/core/json";
import { replaceMembers } from "@tollgate/core/json-members";
import type { ChatUsage, ToolCalls } from "@tollgate/providers/chat-usage";
import type { WithChoices } from "./chat/completion.ts";
import type { ResponseContext } from "./response-context.ts";
import type { ProviderJson, WireResponse } from "./wire.ts";

/** Returns a chat completion with its usage as the JSON of a response. */
type Translate = (
  completion: WithChoices,
  usage: ChatUsage,
  context: ResponseContext,
) => JsonObject;

/** Of responses whose usage reports all calls. */
export const noToolCalls: readonly ToolCalls[] = [];

/** A response that is translated from a chat completion, and does not report its cost. */
export class TranslatedResponse implements WireResponse {
  readonly reported: ChatUsage | undefined;
  readonly messages: readonly unknown[];
  readonly toolCalls = noToolCalls;
  readonly #completion: WithChoices;
  readonly #context: ResponseContext;
  readonly #translate: Translate;

  constructor(completion: WithChoices, context: ResponseContext, translate: Translate) {
    this.reported = context.readUsageBlock(completion.usage);
    this.messages = completion.choices.map(({ message }) => message);
    this.#completion = completion;
    this.#context = context;
    this.#translate = translate;
  }

  write(usage: ChatUsage): Uint8Array {
    return Buffer.from(JSON.stringify(this.#translate(this.#completion, usage, this.#context)));
  }
}

/** What is read of a provider's response. */
type Generated = Pick<WireResponse, "reported" | "messages" | "toolCalls">;

/** A provider's response as it is, except for the model's name. It does not report its cost. */
export class ForwardedResponse implements WireResponse {
  readonly reported: ChatUsage | undefined;
  readonly messages: readonly unknown[];
  readonly toolCalls: readonly ToolCalls[];
  readonly #body: Uint8Array;

  constructor(
    { bytes }: Pick<ProviderJson, "bytes">,
    { reported, messages, toolCalls }: Generated,
    { alias }: ResponseContext,
    /** Members that the provider has left out. */
    more: JsonObject = {},
  ) {
    this.reported = reported;
    this.messages = messages;
    this.toolCalls = toolCalls;
    const values = Object.entries(more).map(([name, value]) => [name, JSON.stringify(value)]);
    const model = JSON.stringify(alias);
    this.#body = replaceMembers(Buffer.from(bytes), { model, ...Object.fromEntries(values) });
  }

  write(): Uint8Array {
    return this.#body;
  }
}
