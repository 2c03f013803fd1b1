import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";
import { sse } from "../sse.ts";

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
const usage = { input: 10, output: 5 };
const call = { functionCall: { name: "read_file", args: { path: "a" } } };

function response(parts: readonly object[] | undefined, finishReason?: string, more: object = {}) {
  const content = parts === undefined ? {} : { content: { role: "model", parts } };
  return { candidates: [{ index: 0, ...content, finishReason, ...more }], usageMetadata };
}

/** https://ai.google.dev/api/generate-content#FinishReason and those of Vertex AI. */
export const googleOddities: readonly Exchange[] = [
  {
    name: "a response that Model Armor stops is filtered",
    reply: { body: response(undefined, "MODEL_ARMOR") },
    expected: { finish: "content_filter" },
    usage,
    cost: 600,
  },
  {
    name: "an unexpected call is one",
    stream: true,
    request: withTool,
    reply: { body: sse(response([call]), response(undefined, "UNEXPECTED_TOOL_CALL")) },
    expected: { calls: [["read_file", { path: "a" }]] },
    usage,
    cost: 600,
  },
  {
    name: "a new reason to finish is complete",
    reply: { body: response([{ text: "Hello." }], "NEW_REASON") },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "unknown parts, citations and ratings are left out",
    stream: true,
    reply: {
      body: sse(
        response([{ newPart: { a: 1 } }, { text: "Hel", newMember: 1 }], undefined, {
          safetyRatings: [{ category: 7 }],
          groundingMetadata: { groundingChunks: [{ web: { title: "no address" } }] },
        }),
        { newEvent: true },
        response([{ text: "lo." }, { fileData: { fileUri: "x" } }], "STOP", {
          citationMetadata: { citationSources: [1] },
        }),
      ),
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a blocked prompt without candidates is filtered",
    reply: {
      body: {
        promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
        usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
      },
    },
    expected: { finish: "content_filter" },
    usage: { input: 10 },
    cost: 100,
  },
];
