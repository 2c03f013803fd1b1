import { converseBlock, converseEnd, converseResponse, converseStart } from "../bedrock-frames.ts";
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
  content_filter: "guardrail_intervened",
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const bedrockUsual = usualExchanges({
  whole: (answer) => ({
    body: converseResponse(contentOf(answer), finishes[answer.finish], usageOf(answer)),
  }),
  streamed: (answer) => ({
    frames: [
      converseStart(),
      ...framesOf(answer),
      ...converseEnd(finishes[answer.finish], usageOf(answer)),
    ],
  }),
  reasons: true,
  reportsReasoning: false,
  caches: true,
  filters: true,
  refusals: {
    invalid: refusal(400, "ValidationException", "The model id is invalid."),
    tooLong: refusal(400, "ValidationException", "Input is too long for requested model."),
    rate: {
      status: 429,
      headers: { "x-amzn-errortype": "ThrottlingException", "retry-after": "7" },
      body: { message: "Too many requests, please wait before trying again." },
    },
  },
});

function refusal(status: number, type: string, message: string) {
  return { status, headers: { "x-amzn-errortype": type }, body: { message } };
}

function usageOf({ counts: { prompt, cached, output } }: UsualAnswer): object {
  return {
    inputTokens: prompt - cached,
    outputTokens: output,
    totalTokens: prompt + output,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: 0,
  };
}

function contentOf({ reasoning, text, calls }: UsualAnswer): object[] {
  const reasoningText = { text: reasoning.join(""), signature: "c2ln" };
  return [
    ...(reasoning.length === 0 ? [] : [{ reasoningContent: { reasoningText } }]),
    ...(text.length === 0 ? [] : [{ text: text.join("") }]),
    ...calls.map((call, index) => ({ toolUse: { ...toolUse(index), input: JSON.parse(call) } })),
  ];
}

function toolUse(index: number) {
  return { toolUseId: `tooluse_${index}`, name: "read_file" };
}

function framesOf({ reasoning, text, calls }: UsualAnswer) {
  const blocks: { start?: object; deltas: object[] }[] = [];
  if (reasoning.length > 0) {
    const deltas = reasoning.map((part) => ({ reasoningContent: { text: part } }));
    blocks.push({ deltas: [...deltas, { reasoningContent: { signature: "c2ln" } }] });
  }
  if (text.length > 0) blocks.push({ deltas: text.map((part) => ({ text: part })) });
  for (const [index, call] of calls.entries()) {
    const deltas = partsOf(call).map((input) => ({ toolUse: { input } }));
    blocks.push({ start: { toolUse: toolUse(index) }, deltas });
  }
  return blocks.flatMap(({ start, deltas }, index) => converseBlock(index, start, ...deltas));
}
