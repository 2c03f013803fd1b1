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

const minimax = (status_code: number, status_msg: string) => ({
  id: "c",
  choices: null,
  base_resp: { status_code, status_msg },
});
const limited = { error: "no_provider_available", status: 503 };

/** Errors with status 200, where no member is named so. */
export const hiddenErrors: readonly Exchange[] = [
  {
    name: "MiniMax's code of success",
    ...hello,
    reply: {
      body: {
        ...completion({ content: "Hello." }),
        base_resp: { status_code: 0, status_msg: "" },
      },
    },
  },
  ...[true, false].flatMap((stream): Exchange[] => {
    const form = stream ? "a stream" : "a response";
    return [
      {
        name: `MiniMax's rate limit in ${form}`,
        stream,
        reply: { body: minimax(1002, "rate limit") },
        expected: limited,
      },
      {
        name: `MiniMax's invalid parameters in ${form}`,
        stream,
        reply: { body: minimax(2013, "invalid params, temperature") },
        expected: { error: "upstream_rejected", status: 502 },
      },
      {
        name: `DashScope's throttling in ${form}`,
        stream,
        reply: {
          body: { code: "Throttling.RateQuota", message: "Requests rate limit exceeded." },
        },
        expected: limited,
      },
      {
        name: `a detail that says that the prompt is too long in ${form}`,
        stream,
        reply: { body: { detail: "This model's maximum context length is 4096 tokens." } },
        expected: { error: "context_length_exceeded", status: 400 },
      },
    ];
  }),
  {
    name: "MiniMax's rate limit as an event",
    stream: true,
    reply: { body: `data: ${JSON.stringify(minimax(1002, "rate limit"))}\n\n` },
    expected: limited,
  },
];
