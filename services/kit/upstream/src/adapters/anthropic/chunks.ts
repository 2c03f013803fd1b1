import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { eventFailure } from "./failure.ts";
import { finishReasonOf } from "./finish-reason.ts";
import { reasoningDetail } from "./reasoning.ts";
import { refusalOf } from "./refusal.ts";

/**
 * Yields the events of a chat completion's stream, one for each part that has something to say. The
 * last chunk has Anthropic's own usage block. A stream that Anthropic does not finish has neither a
 * finish reason nor `[DONE]`. Throws a SlotFailure for an error event.
 */
export async function* writeChunks(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  model: string,
): AsyncGenerator<Buffer> {
  const head = { id: "", object: "chat.completion.chunk", created: secondsNow(), model };
  const translate = createTranslation();
  for await (const part of parts) {
    if (part.type === "error") throw eventFailure(part.error);
    if (part.type === "response-metadata") head.id = part.id ?? "";
    if (part.type === "finish") {
      if (part.finishReason.unified === "interrupted") return;
      yield finishEvents(head, part);
      return;
    }
    const delta = translate(part);
    if (delta !== undefined) yield event({ ...head, choices: [choiceOf(delta, null)] });
  }
}

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

function finishEvents(head: JsonObject, part: Finish): Buffer {
  const refusal = refusalOf(part.providerMetadata);
  const delta = refusal === null ? {} : { refusal };
  const last = { ...head, choices: [choiceOf(delta, finishReasonOf(part.finishReason))] };
  const usage = { ...head, choices: [], usage: part.usage.raw };
  return Buffer.concat([event(last), event(usage), Buffer.from("data: [DONE]\n\n")]);
}

function choiceOf(delta: JsonObject, finishReason: string | null): JsonObject {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason };
}

function event(chunk: JsonObject): Buffer {
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1_000);
}

/** Returns a function that translates a part to a delta; to undefined where it says nothing. */
function createTranslation() {
  const thinking = createThinking();
  const calls = new Map<string, { index: number; hasArguments: boolean }>();
  let isFirst = true;

  function deltaOf(part: LanguageModelV4StreamPart): JsonObject | undefined {
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? undefined : { content: part.delta };
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        return thinking(part);
      case "tool-input-start": {
        if (part.providerExecuted) return undefined;
        const index = calls.size;
        calls.set(part.id, { index, hasArguments: false });
        const called = { name: part.toolName, arguments: "" };
        return { tool_calls: [{ index, id: part.id, type: "function", function: called }] };
      }
      case "tool-input-delta":
        return argumentsOf(part.id, part.delta);
      case "tool-call":
        // A call without arguments has no deltas.
        return calls.get(part.toolCallId)?.hasArguments
          ? undefined
          : argumentsOf(part.toolCallId, part.input);
      default:
        return undefined;
    }
  }

  function argumentsOf(id: string, text: string): JsonObject | undefined {
    const call = calls.get(id);
    if (call === undefined || text === "") return undefined;
    call.hasArguments = true;
    return { tool_calls: [{ index: call.index, function: { arguments: text } }] };
  }

  return (part: LanguageModelV4StreamPart): JsonObject | undefined => {
    const delta = deltaOf(part);
    if (delta === undefined || !isFirst) return delta;
    isFirst = false;
    return { role: "assistant", ...delta };
  };
}

type ThinkingPart = Extract<
  LanguageModelV4StreamPart,
  { type: "reasoning-start" | "reasoning-delta" | "reasoning-end" }
>;

/** The text goes out as it arrives; the whole block with its signature when it ends. */
function createThinking() {
  let text = "";
  let metadata: JsonObject = {};
  let blocks = 0;
  return (part: ThinkingPart): JsonObject | undefined => {
    if (part.type === "reasoning-start") {
      text = "";
      metadata = {};
    }
    const added = part.providerMetadata?.anthropic;
    if (isJsonObject(added)) metadata = { ...metadata, ...added };
    if (part.type === "reasoning-delta" && part.delta !== "") {
      text += part.delta;
      return { reasoning_content: part.delta };
    }
    if (part.type !== "reasoning-end") return undefined;
    const detail = reasoningDetail(text, metadata, blocks);
    if (detail === undefined) return undefined;
    blocks += 1;
    return { reasoning_details: [detail] };
  };
}
