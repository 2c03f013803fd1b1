import { claudeMessage } from "../anthropic-events.ts";
import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";

/** Whole messages where a client of Messages asked for a stream. */
export const wholeMessages: readonly Exchange[] = [
  {
    name: "a message in place of a stream",
    stream: true,
    wires: ["messages"],
    request: withTool,
    reply: {
      body: claudeMessage(
        [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "text", text: "Hello.", citations: null },
          { type: "tool_use", id: "toolu_a", name: "read_file", input: { path: "a" } },
        ],
        "tool_use",
      ),
    },
    expected: { reasoning: "Hm.", text: "Hello.", calls: [["read_file", { path: "a" }]] },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
  {
    name: "an error in place of a stream keeps its meaning",
    stream: true,
    wires: ["messages"],
    reply: {
      body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    },
    expected: { error: "no_provider_available", status: 503 },
  },
];
