import { delta, smallUsage } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

/** https://console.groq.com/docs/api-reference#chat */
export const groqUsage: readonly Exchange[] = [
  {
    name: "a stream has its usage in x_groq",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "" }, null, { x_groq: { id: "req_1" } }),
        delta({ content: "Hello." }),
        delta({}, "stop", { x_groq: { id: "req_1", usage: smallUsage } }),
        "[DONE]",
      ),
    },
    expected: { text: "Hello." },
    usage: { input: 10, output: 5 },
    cost: 600,
  },
];
