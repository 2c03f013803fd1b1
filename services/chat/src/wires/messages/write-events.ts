import { isJsonObject, type JsonObject, objectsIn } from "@tollgate/core/json";
import { ChunkReader } from "../chat/chunk-reader.ts";
import { textsIn } from "../chat/content.ts";
import { generatedReasoning } from "../generated-message.ts";
import type { ResponseContext } from "../response-context.ts";
import type { WireEvents } from "../wire.ts";
import { BlockWriter } from "./block-writer.ts";
import { stopReasonOf } from "./stop-reason.ts";

/** Writes the chunks of a chat completion as the events of a message, in Anthropic's order. */
export function writeMessageEvents(context: ResponseContext): WireEvents {
  const reader = new ChunkReader(context);
  const blocks = new BlockWriter(context);
  let finishReason: unknown;
  let isRefused = false;
  let isCut = false;

  function add({ delta, finish_reason }: JsonObject): void {
    finishReason = finish_reason ?? finishReason;
    if (!isJsonObject(delta)) return;
    const { content, refusal, tool_calls, reasoning_details } = delta;
    blocks.think(generatedReasoning(delta), objectsIn(reasoning_details));
    if (typeof refusal === "string" && refusal !== "") isRefused = true;
    for (const text of [...textsIn(content), ...textsIn(refusal)]) blocks.say(text);
    for (const call of objectsIn(tool_calls)) blocks.call(call);
  }

  return {
    read: (data, name) => reader.read(data, name),
    readWhole: (value) => reader.readWhole(value),
    complete: (indexes) => reader.complete(indexes),
    deliver({ choices }) {
      for (const choice of choices) add(choice);
      return blocks.take();
    },
    cut() {
      isCut = true;
      return undefined;
    },
    end(usage) {
      const reason = isRefused ? "refusal" : stopReasonOf(finishReason, blocks.hasCalls);
      return blocks.end(isCut ? "max_tokens" : reason, usage);
    },
  };
}
