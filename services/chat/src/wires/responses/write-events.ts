import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { readChat } from "../event.ts";
import { objectsIn, reasoningOf } from "../generated-message.ts";
import type { ResponseFrame, WireEvents } from "../wire.ts";
import { ItemWriter } from "./item-writer.ts";
import { endOf, incomplete } from "./response-object.ts";

/** Writes the chunks of a chat completion as the events of a response. */
export function writeResponseEvents(frame: ResponseFrame): WireEvents {
  const items = new ItemWriter(frame);
  let finishReason: unknown;

  function add({ delta, finish_reason }: JsonObject): void {
    finishReason = finish_reason ?? finishReason;
    if (!isJsonObject(delta)) return;
    items.think(reasoningOf(delta), objectsIn(delta.reasoning_details));
    if (typeof delta.content === "string") items.say("output_text", delta.content);
    if (typeof delta.refusal === "string") items.say("refusal", delta.refusal);
    for (const call of objectsIn(delta.tool_calls)) items.call(call);
  }

  return {
    read: readChat,
    deliver({ choices }) {
      for (const choice of choices) add(choice);
      return items.take();
    },
    end(usage, isCut) {
      return items.end(isCut ? incomplete("max_output_tokens") : endOf(finishReason), usage);
    },
    usageSoFar: (approximate) => approximate,
  };
}
