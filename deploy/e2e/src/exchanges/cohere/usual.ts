import { typedSse } from "../sse.ts";
import {
  type AnswerFinish,
  partsOf,
  type UsualAnswer,
  usualExchanges,
} from "../usual-exchanges.ts";

const finishes: Readonly<Partial<Record<AnswerFinish, string>>> = {
  stop: "COMPLETE",
  length: "MAX_TOKENS",
  tool_calls: "TOOL_CALL",
};

/** https://docs.cohere.com/reference/chat */
export const cohereUsual = usualExchanges({
  whole: (answer) => ({
    body: {
      id: "c",
      message: {
        role: "assistant",
        content: contentOf(answer),
        ...(answer.calls.length === 0 ? {} : { tool_calls: answer.calls.map(callOf) }),
      },
      finish_reason: finishes[answer.finish],
      usage: usageOf(answer),
    },
  }),
  streamed: (answer) => ({ body: typedSse(...eventsOf(answer)) }),
  reasons: true,
  reportsReasoning: false,
  caches: false,
  filters: false,
  refusals: {
    invalid: { status: 400, body: { id: "r", message: "invalid request: x is not supported." } },
    tooLong: {
      status: 400,
      body: {
        id: "r",
        message:
          "too many tokens: the total number of tokens in the prompt exceeds the limit of 256000.",
      },
    },
    rate: {
      status: 429,
      headers: { "retry-after": "7" },
      body: {
        id: "r",
        message: "You are using a Trial key, which is limited to 20 API calls / minute.",
      },
    },
  },
});

function usageOf({ counts: { prompt, output } }: UsualAnswer): object {
  return {
    billed_units: { input_tokens: prompt, output_tokens: output },
    tokens: { input_tokens: prompt + 60, output_tokens: output + 2 },
  };
}

function contentOf({ reasoning, text }: UsualAnswer): object[] {
  return [
    ...(reasoning.length === 0 ? [] : [{ type: "thinking", thinking: reasoning.join("") }]),
    ...(text.length === 0 ? [] : [{ type: "text", text: text.join("") }]),
  ];
}

function callOf(text: string, index: number): object {
  return {
    id: `read_file_${index}`,
    type: "function",
    function: { name: "read_file", arguments: text },
  };
}

function eventsOf(answer: UsualAnswer): ({ type: string } & Record<string, unknown>)[] {
  const { reasoning, text, calls, finish } = answer;
  const blocks = [
    ...(reasoning.length === 0 ? [] : [["thinking", reasoning] as const]),
    ...(text.length === 0 ? [] : [["text", text] as const]),
  ];
  const said = (message: object) => ({ delta: { message } });
  return [
    {
      type: "message-start",
      id: "c",
      ...said({ role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] }),
    },
    ...blocks.flatMap(([type, parts], index) => [
      { type: "content-start", index, ...said({ content: { type, [type]: "" } }) },
      ...parts.map((part) => {
        return { type: "content-delta", index, ...said({ content: { [type]: part } }) };
      }),
      { type: "content-end", index },
    ]),
    ...calls.flatMap((call, index) => [
      { type: "tool-call-start", index, ...said({ tool_calls: callOf("", index) }) },
      ...partsOf(call).map((part) => {
        const tool_calls = { function: { arguments: part } };
        return { type: "tool-call-delta", index, ...said({ tool_calls }) };
      }),
      { type: "tool-call-end", index },
    ]),
    {
      type: "message-end",
      id: "c",
      delta: { finish_reason: finishes[finish], usage: usageOf(answer) },
    },
  ];
}
