import type { JsonObject } from "@tollgate/core/json";
import type { Exchange } from "./exchange.ts";
import { hello } from "./requests.ts";

/** Returns an exchange in which a vendor's own members reach it as they came. */
export function switchExchange(members: JsonObject): Exchange {
  const names = Object.keys(members);
  const message = { role: "assistant", content: "Hello." };
  return {
    name: `${names.join(", ")} of the vendor's own`,
    catalog: { passes: names },
    request: { chat: { ...hello.chat, ...members } },
    sent: members,
    reply: {
      body: {
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "u",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      },
    },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  };
}
