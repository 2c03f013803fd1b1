import { claudeBlock, claudeEnd, claudeMessage, claudeStart } from "../anthropic-events.ts";
import { typedSse } from "../sse.ts";
import {
  type AnswerFinish,
  partsOf,
  type UsualAnswer,
  usualExchanges,
} from "../usual-exchanges.ts";

const finishes: Readonly<Record<AnswerFinish, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

/** https://docs.claude.com/en/api/messages */
export const anthropicUsual = usualExchanges({
  whole: (answer) => ({
    body: claudeMessage(blocksOf(answer), finishes[answer.finish], usageOf(answer)),
  }),
  streamed: (answer) => ({
    body: typedSse(
      claudeStart({ ...usageOf(answer), output_tokens: 1 }),
      { type: "ping" },
      ...eventsOf(answer),
      ...claudeEnd(finishes[answer.finish], { output_tokens: answer.counts.output }),
    ),
  }),
  reasons: true,
  reportsReasoning: false,
  caches: true,
  filters: true,
  refusals: {
    invalid: refusal(400, "invalid_request_error", "messages: roles must alternate"),
    tooLong: refusal(
      400,
      "invalid_request_error",
      "prompt is too long: 210000 tokens > 200000 maximum",
    ),
    rate: {
      ...refusal(429, "rate_limit_error", "This request would exceed your rate limit."),
      headers: { "retry-after": "7" },
    },
  },
  native: { messages: { status: 400, error: "invalid_param" } },
});

function refusal(status: number, type: string, message: string) {
  return { status, body: { type: "error", error: { type, message }, request_id: "req_a" } };
}

function usageOf({ counts: { prompt, cached, output } }: UsualAnswer): object {
  return {
    input_tokens: prompt - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    service_tier: "standard",
  };
}

function callBlock(index: number, input: object): object {
  return { type: "tool_use", id: `toolu_${index}`, name: "read_file", input };
}

function blocksOf({ reasoning, text, calls }: UsualAnswer): object[] {
  return [
    ...(reasoning.length === 0
      ? []
      : [{ type: "thinking", thinking: reasoning.join(""), signature: "c2ln" }]),
    ...(text.length === 0 ? [] : [{ type: "text", text: text.join("") }]),
    ...calls.map((call, index) => callBlock(index, JSON.parse(call))),
  ];
}

function eventsOf({ reasoning, text, calls }: UsualAnswer): { type: string }[] {
  const blocks: { start: object; deltas: object[] }[] = [];
  if (reasoning.length > 0) {
    const deltas = reasoning.map((thinking) => ({ type: "thinking_delta", thinking }));
    blocks.push({
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [...deltas, { type: "signature_delta", signature: "c2ln" }],
    });
  }
  if (text.length > 0) {
    const deltas = text.map((part) => ({ type: "text_delta", text: part }));
    blocks.push({ start: { type: "text", text: "" }, deltas });
  }
  for (const [index, call] of calls.entries()) {
    const parts = ["", ...partsOf(call)];
    const deltas = parts.map((partial_json) => ({ type: "input_json_delta", partial_json }));
    blocks.push({ start: callBlock(index, {}), deltas });
  }
  return blocks.flatMap(({ start, deltas }, index) => claudeBlock(index, start, ...deltas));
}
