import { completion, delta, end, smallUsage } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

const usage = { input: 10, output: 5 };
const hello = { expected: { text: "Hello." }, usage, cost: 600 };
const thinking = { type: "thinking", thinking: [{ type: "text", text: "Hm." }] };
const unfinished = { prompt_tokens: 10, total_tokens: 10 };

/** What compatible servers and proxies write in another form than OpenAI. */
export const openaiOtherForms: readonly Exchange[] = [
  {
    name: "content in parts is a text",
    reply: { body: completion({ content: [thinking, { type: "text", text: "Hel" }, "lo."] }) },
    expected: { text: "Hello.", reasoning: "Hm." },
    usage,
    cost: 600,
  },
  {
    name: "streamed content in parts is a text",
    stream: true,
    reply: {
      body: sse(
        delta({ content: [thinking] }),
        delta({ content: [{ type: "text", text: "Hel" }] }),
        delta({ content: { type: "text", text: "lo." } }),
        ...end("stop"),
      ),
    },
    expected: { text: "Hello.", reasoning: "Hm." },
    usage,
    cost: 600,
  },
  ...(["MAX_TOKENS", "Length", "max_output_tokens"] as const).map(
    (reason): Exchange => ({
      name: `the finish reason ${reason} is length`,
      reply: { body: completion({ content: "Hello." }, reason) },
      expected: { text: "Hello.", finish: "length" },
      usage,
      cost: 600,
    }),
  ),
  {
    name: "the finish reason null as a text is none",
    stream: true,
    reply: { body: sse(delta({ content: "Hello." }, "null"), ...end("stop")) },
    ...hello,
  },
  {
    name: "an empty error is none",
    stream: true,
    reply: {
      body: sse(
        delta({ content: "Hello." }, null, { error: { message: "", code: null } }),
        ...end("stop"),
      ),
    },
    ...hello,
  },
  {
    name: "usage without a completion is that of the prompt",
    reply: { body: completion({ content: "" }, "content_filter", unfinished) },
    expected: { finish: "content_filter" },
    usage: { input: 10 },
    cost: 100,
  },
  {
    name: "usage without a completion has the rest of the total",
    reply: {
      body: completion({ content: "Hello." }, "stop", {
        ...smallUsage,
        completion_tokens: undefined,
      }),
    },
    ...hello,
  },
];
