import { completion, smallUsage } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";

const usage = { input: 10, output: 5 };
const hello = { expected: { text: "Hello." }, usage, cost: 600 };
const message = { role: "assistant", content: "Hello." };

/** What providers with OpenAI's wire leave out of a whole response, or add to it. */
export const looseAnswers: readonly Exchange[] = [
  {
    name: "a response without a finish reason",
    ...hello,
    reply: { body: { choices: [{ message, finish_reason: null }], usage: smallUsage } },
  },
  {
    name: "a response with other members",
    ...hello,
    reply: {
      body: {
        ...completion({ content: "Hello.", note: { a: 1 }, tool_calls: [] }),
        x: null,
      },
    },
  },
  {
    name: "a message without a role",
    ...hello,
    reply: { body: completion({ content: "Hello.", role: undefined }) },
  },
  {
    name: "usage within the choice",
    ...hello,
    reply: { body: { choices: [{ index: 0, message, finish_reason: "stop", usage: smallUsage }] } },
  },
  {
    name: "a finish without a message",
    reply: { body: { choices: [{ index: 0, finish_reason: "length" }], usage: smallUsage } },
    expected: { finish: "length" },
    usage,
    cost: 600,
  },
  {
    name: "neither a finish nor a text",
    reply: { body: { choices: [{ index: 0, message: null, finish_reason: null }] } },
    expected: { error: "upstream_rejected", status: 502 },
  },
];
