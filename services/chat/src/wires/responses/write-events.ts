import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { ChunkReader } from "../chat/chunk-reader.ts";
import { textsIn } from "../chat/content.ts";
import { generatedReasoning } from "../generated-message.ts";
import type { ResponseContext } from "../response-context.ts";
import type { WireEvents } from "../wire.ts";
import { ItemWriter } from "./item-writer.ts";
import { endOf, incomplete } from "./response-object.ts";

/** Writes the chunks of a chat completion as the events of a response. */
export function writeResponseEvents(context: ResponseContext): WireEvents {
  const reader = new ChunkReader(context);
  const items = new ItemWriter(context);
  let finishReason: unknown;
  let isCut = false;

  function add({ delta, finish_reason }: JsonObject): void {
    finishReason = finish_reason ?? finishReason;
    if (!isJsonObject(delta)) return;
    items.think(generatedReasoning(delta), objectsIn(delta.reasoning_details));
    for (const text of textsIn(delta.content)) items.say("output_text", text);
    if (typeof delta.refusal === "string") items.say("refusal", delta.refusal);
    for (const call of objectsIn(delta.tool_calls)) items.call(call);
  }

  return {
    read: (data, name) => reader.read(data, name),
    readWhole: (value) => reader.readWhole(value),
    complete: (indexes) => reader.complete(indexes),
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
