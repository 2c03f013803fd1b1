import { claudeBlock, claudeEnd, claudeStart } from "../anthropic-events.ts";
import type { Exchange } from "../exchange.ts";
import { typedSse } from "../sse.ts";

const usage = { input: 10, output: 5 };

/** https://docs.claude.com/en/api/messages */
export const anthropicBlocks: readonly Exchange[] = [
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
  },
];
