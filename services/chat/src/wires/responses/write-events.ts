import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { readChunk } from "../chunk.ts";
import { generatedReasoning } from "../generated-message.ts";
import type { ResponseContext } from "../response-context.ts";
import type { WireEvents } from "../wire.ts";
import { ItemWriter } from "./item-writer.ts";
import { endOf, incomplete } from "./response-object.ts";

/** Writes the chunks of a chat completion as the events of a response. */
export function writeResponseEvents(context: ResponseContext): WireEvents {
  const items = new ItemWriter(context);
  let finishReason: unknown;
  let isCut = false;

  function add({ delta, finish_reason }: JsonObject): void {
    finishReason = finish_reason ?? finishReason;
    if (!isJsonObject(delta)) return;
    items.think(generatedReasoning(delta), objectsIn(delta.reasoning_details));
    if (typeof delta.content === "string") items.say("output_text", delta.content);
    if (typeof delta.refusal === "string") items.say("refusal", delta.refusal);
    for (const call of objectsIn(delta.tool_calls)) items.call(call);
  }

  return {
    read: (data) => readChunk(data, context),
    deliver({ choices }) {
      for (const choice of choices) add(choice);
      return items.take();
    },
    cut() {
      isCut = true;
      return undefined;
    },
    end(usage) {
      return items.end(isCut ? incomplete("max_output_tokens") : endOf(finishReason), usage);
    },
  };
}
