import { claudeBlock, claudeEnd, claudeMessage, claudeStart } from "../anthropic-events.ts";
import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";
import { typedSse } from "../sse.ts";

const usage = { input: 10, output: 5 };

/** https://docs.claude.com/en/api/messages */
export const anthropicPlain: readonly Exchange[] = [
  {
    name: "a text",
    reply: { body: claudeMessage([{ type: "text", text: "Hello." }]) },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a streamed text",
    stream: true,
    reply: {
      body: typedSse(
        claudeStart(),
        ...claudeBlock(0, { type: "text", text: "" }, { type: "text_delta", text: "Hello." }),
        ...claudeEnd("end_turn"),
      ),
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a streamed block of an unknown type is ignored",
    stream: true,
    reply: {
      body: typedSse(
        claudeStart(),
        ...claudeBlock(0, { type: "text", text: "" }, { type: "text_delta", text: "Hello." }),
        ...claudeBlock(1, { type: "new_block", data: 1 }, { type: "new_delta", data: 2 }),
        ...claudeEnd("end_turn"),
      ),
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
    fails: "a chat slot refuses the block",
  },
  {
    name: "a streamed call",
    stream: true,
    request: withTool,
    reply: {
      body: typedSse(
        claudeStart(),
        ...claudeBlock(
          0,
          { type: "tool_use", id: "toolu_a", name: "read_file", input: {} },
          { type: "input_json_delta", partial_json: '{"path":' },
          { type: "input_json_delta", partial_json: '"a"}' },
        ),
        ...claudeEnd("tool_use"),
      ),
    },
    expected: { calls: [["read_file", { path: "a" }]] },
    usage,
    cost: 600,
  },
  {
    name: "a rate limit",
    reply: {
      status: 429,
      headers: { "retry-after": "7" },
      body: { type: "error", error: { type: "rate_limit_error", message: "Slow down." } },
    },
    expected: { status: 503, error: "no_provider_available", retryAfter: "7" },
  },
];
