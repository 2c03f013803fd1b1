import type { JsonObject } from "@tollgate/core/json";
import { completion } from "./chunks.ts";
import type { Exchange } from "./exchange.ts";
import { hello } from "./requests.ts";

/** Returns an exchange in which a vendor's own members reach it as they came. */
export function switchExchange(members: JsonObject): Exchange {
  const names = Object.keys(members);
  return {
    name: `${names.join(", ")} of the vendor's own`,
    catalog: { passes: names },
    request: { chat: { ...hello.chat, ...members } },
    sent: members,
    reply: { body: completion({ content: "Hello." }) },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  };
}
