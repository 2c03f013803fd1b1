import { completion, delta, smallUsage, usageChunk } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";
import { sse } from "../sse.ts";

const usage = { input: 10, output: 5 };

const parts = [
  {
    type: "thinking",
    thinking: [
      { type: "text", text: "Hm." },
      { type: "new", new: 1 },
    ],
    closed: true,
  },
  { type: "text", text: "Hel" },
  { type: "reference", reference_ids: [1, "a"], new: true },
  { type: "new", new: 1 },
  { type: "text", text: "lo." },
];

/** https://docs.mistral.ai/api/endpoint/chat */
export const mistralOddities: readonly Exchange[] = [
  {
    name: "content as parts, some of them unknown",
    reply: { body: completion({ content: parts }) },
    expected: { text: "Hello.", reasoning: "Hm." },
    usage,
    cost: 600,
  },
  {
    name: "streamed content as parts, with a heartbeat and usage without a choice",
    stream: true,
    reply: {
      body:
        sse(delta({ role: "assistant", content: "" }), delta({ content: parts.slice(0, 2) })) +
        "event: ping\ndata: {}\n\n" +
        sse(
          delta({ content: parts.slice(2) }),
          delta({ content: "" }, "stop"),
          usageChunk(),
          "[DONE]",
        ),
    },
    expected: { text: "Hello.", reasoning: "Hm." },
    usage,
    cost: 600,
  },
  {
    name: "details of the prompt by their other spelling",
    reply: {
      body: completion({ content: "Hello." }, "stop", {
        ...smallUsage,
        prompt_token_details: { cached_tokens: 4 },
      }),
    },
    expected: { text: "Hello." },
    usage: { input: 6, cached: 4, output: 5 },
    cost: 564,
  },
  {
    name: "a call whose arguments are an object",
    request: withTool,
    reply: {
      body: completion(
        {
          content: "",
          tool_calls: [
            { id: "D681PevKs", function: { name: "read_file", arguments: { path: "a" } } },
          ],
        },
        "tool_calls",
      ),
    },
    expected: { calls: [["read_file", { path: "a" }]] },
    usage,
    cost: 600,
  },
  {
    name: "a stream without a reason to finish, up to its [DONE], is complete",
    stream: true,
    reply: {
      body: sse(delta({ content: "Hello." }), delta({}, null, { usage: smallUsage }), "[DONE]"),
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
];
