import { sse } from "../sse.ts";
import { type AnswerFinish, type UsualAnswer, usualExchanges } from "../usual-exchanges.ts";

const finishes: Readonly<Record<AnswerFinish, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  tool_calls: "STOP",
  content_filter: "SAFETY",
};

/** https://ai.google.dev/api/generate-content */
export const googleUsual = usualExchanges({
  whole: (answer) => ({ body: responseOf(answer, partsIn(answer), finishes[answer.finish]) }),
  streamed: (answer) => ({
    body: sse(
      ...partsIn(answer).map((part) => responseOf(answer, [part])),
      responseOf(answer, [], finishes[answer.finish]),
    ),
  }),
  reasons: true,
  reportsReasoning: true,
  caches: true,
  filters: true,
  refusals: {
    invalid: refusal(400, "INVALID_ARGUMENT", "Invalid value at 'contents'."),
    tooLong: refusal(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    rate: refusal(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", {
      "@type": "type.googleapis.com/google.rpc.RetryInfo",
      retryDelay: "7s",
    }),
  },
});

function refusal(status: number, name: string, message: string, ...details: object[]) {
  return { status, body: { error: { code: status, message, status: name, details } } };
}

function partsIn({ reasoning, text, calls }: UsualAnswer): object[] {
  return [
    ...reasoning.map((part) => ({ text: part, thought: true })),
    ...text.map((part) => ({ text: part })),
    ...calls.map((one) => ({ functionCall: { name: "read_file", args: JSON.parse(one) } })),
  ];
}

function responseOf({ counts }: UsualAnswer, parts: object[], finishReason?: string): object {
  const { prompt, cached, output, reasoning } = counts;
  const content = parts.length === 0 ? { role: "model" } : { role: "model", parts };
  return {
    candidates: [{ index: 0, content, ...(finishReason === undefined ? {} : { finishReason }) }],
    usageMetadata: {
      promptTokenCount: prompt,
      candidatesTokenCount: output - reasoning,
      totalTokenCount: prompt + output,
      ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
      ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
      promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
    },
    modelVersion: "gemini-2.5-flash",
    responseId: "r",
  };
}
