import { exactUsdJson, usdJson } from "@tollgate/core/money";
import { usageExample } from "../chat-completions/examples.ts";

const created_at = 1_795_975_194;
const request_id = "req_01a22876a36d7000a4e2cae53a62e274";
const model = "demo-small";

const conversation = {
  id: "0199d1b2-1111-4222-8333-444455556666",
  object: "conversation",
  created_at,
  last_active_at: created_at,
  model,
  turn_count: 1,
};

export const conversationsExample = {
  object: "list",
  data: [conversation],
  total: 1,
  limit: 25,
  offset: 0,
};

export const conversationExample = {
  ...conversation,
  turns: [
    {
      index: 0,
      messages: [{ role: "user", content: "Hello" }],
      response: { role: "assistant", content: "You said: Hello" },
      model,
      request_id,
      created_at,
      usage: usageExample,
    },
  ],
  cost_summary: {
    currency: "USD",
    total_cost: usdJson(2_000n),
    items: [
      {
        request_id,
        model,
        unit_type: "tokens",
        quantity: 6,
        cost: usdJson(2_000n),
        lines: [
          { dimension: "input", quantity: 2, cost: exactUsdJson(200n) },
          { dimension: "output", quantity: 4, cost: exactUsdJson(1_800n) },
        ],
        created_at,
      },
    ],
    has_more: false,
  },
};
