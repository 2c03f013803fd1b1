import { claudeBlock, claudeEnd, claudeMessage, claudeStart } from "../anthropic-events.ts";
import type { Exchange } from "../exchange.ts";
import { typedSse } from "../sse.ts";

const usage = { input: 10, output: 5 };
const hello = { type: "text", text: "Hello." };
const helloBlock = claudeBlock(
  0,
  { type: "text", text: "" },
  { type: "text_delta", text: "Hello." },
);

/** What Anthropic's API adds, and how it ends: https://docs.claude.com/en/api/messages#response-stop-reason */
export const anthropicTolerance: readonly Exchange[] = [
  {
    name: "a block of an unknown type is ignored",
    reply: { body: claudeMessage([{ type: "new_block", text: "No.", of: [1] }, hello]) },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a message whose content is null is empty",
    reply: { body: { ...claudeMessage([], "max_tokens"), content: null } },
    expected: { finish: "length" },
    usage,
    cost: 600,
  },
  {
    name: "deltas and events of unknown types are ignored",
    stream: true,
    reply: {
      body: typedSse(
        claudeStart(),
        { type: "new_event" },
        ...claudeBlock(
          0,
          { type: "text", text: "" },
          { type: "new_delta", text: "" },
          { type: "text_delta", text: "Hello." },
          { type: "citations_delta", citation: { type: "new_location" } },
        ),
        ...claudeEnd("end_turn"),
      ),
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a stream that ends without message_stop is complete",
    stream: true,
    reply: { body: typedSse(claudeStart(), ...helloBlock, ...claudeEnd("end_turn").slice(0, 1)) },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "thinking tokens are reasoning",
    reply: {
      body: claudeMessage([hello], "end_turn", {
        input_tokens: 10,
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 3 },
      }),
    },
    wires: ["chat", "responses"],
    expected: { text: "Hello." },
    usage: { ...usage, reasoning: 3 },
    cost: 600,
  },
  ...(["pause_turn", "of_next_year"] as const).map(
    (reason): Exchange => ({
      name: `the stop reason ${reason} is an end`,
      reply: { body: claudeMessage([hello], reason) },
      wires: ["chat", "responses"],
      expected: { text: "Hello." },
      usage,
      cost: 600,
    }),
  ),
  {
    name: "a full context window is an output limit",
    stream: true,
    reply: {
      body: typedSse(claudeStart(), ...helloBlock, ...claudeEnd("model_context_window_exceeded")),
    },
    wires: ["chat", "responses"],
    expected: { text: "Hello.", finish: "length" },
    usage,
    cost: 600,
  },
  {
    name: "a refusal is a content filter",
    reply: { body: claudeMessage([hello], "refusal") },
    expected: { text: "Hello.", finish: "content_filter" },
    usage,
    cost: 600,
  },
];
