import type { JsonObject } from "@tollgate/core/json";
import type { NanoUsd } from "@tollgate/core/money";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { messageOf } from "../../conversations/assistant-message.ts";
import type { GeneratedTurn } from "../../conversations/turn.ts";
import { usageBlock } from "../../usage/usage.ts";
import type { ResponseContext } from "../response-context.ts";
import type { WireResponse } from "../wire.ts";
import { noToolCalls } from "../written-response.ts";
import type { WithChoices } from "./completion.ts";

/** A chat completion under our alias, with our cost in its usage. */
export class ChatResponse implements WireResponse {
  readonly reported: ChatUsage | undefined;
  readonly messages: readonly unknown[];
  readonly toolCalls = noToolCalls;
  readonly #completion: WithChoices;
  readonly #context: ResponseContext;
  readonly #identity: ResponseIdentity;

  constructor(completion: WithChoices, context: ResponseContext) {
    this.reported = context.readUsageBlock(completion.usage);
    this.messages = completion.choices.map(({ message }) => message);
    this.#completion = completion;
    this.#context = context;
    this.#identity = identityOf(completion, ownIdentity(context));
  }

  write(used: ChatUsage, cost: NanoUsd): Uint8Array {
    const { cost: _cost, session_id: _session, ...rest }: JsonObject = this.#completion;
    const { alias: model, sessionId } = this.#context;
    const ours = { ...this.#identity, object: "chat.completion", model };
    const echo = sessionId === "" ? {} : { session_id: sessionId };
    const usage = usageBlock(used, cost);
    return Buffer.from(JSON.stringify({ ...rest, ...ours, usage, ...echo }));
  }

  generated(): GeneratedTurn {
    const { choices } = this.#completion;
    const finishReason = choices[0]?.finish_reason;
    return { ...this.#identity, message: messageOf(choices), finishReason };
  }
}

/** Identifies a response. The contract requires both fields in every response and every chunk. */
export interface ResponseIdentity {
  id: string;
  /** Unix time in seconds. */
  created: number;
}

/** Returns the provider's fields, and ours where they are missing or invalid. */
export function identityOf({ id, created }: JsonObject, ours: ResponseIdentity): ResponseIdentity {
  return {
    id: typeof id === "string" && id !== "" ? id : ours.id,
    created: typeof created === "number" && Number.isInteger(created) ? created : ours.created,
  };
}

/** Returns our identity, made from the request's digits. */
export function ownIdentity({ id, created }: ResponseIdentity): ResponseIdentity {
  return { id: `chatcmpl-${id}`, created };
}
