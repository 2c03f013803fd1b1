import { usdJson } from "@tollgate/core/money";
import { eventStream } from "../../openapi/event-stream.ts";

export const usageExample = {
  prompt_tokens: 2,
  completion_tokens: 4,
  total_tokens: 6,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
  cost: usdJson(2_000n),
};

const common = { id: "chatcmpl-1", created: 1_795_974_018, model: "demo-small" };
const chunk = { ...common, object: "chat.completion.chunk" };

export const completionExample = {
  ...common,
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "You said: Hello", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: usageExample,
};

export const chunksExample = eventStream([
  { data: { ...chunk, choices: [choiceOf({ role: "assistant", content: "" })] } },
  { data: { ...chunk, choices: [choiceOf({ content: "You said: Hello" })] } },
  { data: { ...chunk, choices: [choiceOf({}, "stop")] } },
  { data: { ...chunk, choices: [], usage: usageExample } },
  { data: "[DONE]" },
]);

function choiceOf(delta: object, finishReason: string | null = null) {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason };
}
