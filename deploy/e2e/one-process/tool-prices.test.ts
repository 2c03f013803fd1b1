import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf } from "../src/ledger.ts";
import { requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account } = await sharedStack();

const tools = [{ type: "web_search" }];

/** The lines of a charge for calls of tools. */
async function toolLines(requestId: string | null) {
  const entry = await entryOf(stack, account, requestId);
  const lines = entry?.lines.filter(({ dimension }) => dimension.startsWith("tool:")) ?? [];
  return lines.map(({ dimension, quantity, amountNanoUsd }) => [
    dimension,
    quantity,
    amountNanoUsd,
  ]);
}

describe.each([false, true])("searches in a response (stream: %s)", (stream) => {
  test.each([
    ["as OpenAI reports them", "reported", [["tool:web_search", 3n, 30_000_000n]]],
    [
      "as xAI reports them",
      "xai-reported",
      [
        ["tool:web_search", 3n, 30_000_000n],
        ["tool:x_search", 2n, 40_000_000n],
      ],
    ],
    ["by the items of the output", "unreported", [["tool:web_search", 3n, 30_000_000n]]],
  ])("cost their price, counted %s", async (_, name, lines) => {
    const model = `test-gpt-searching-${name}`;
    const body = { model, input: "Hello there", tools, stream };
    const response = await send(`${stack.url}/v1/responses`, { key: account.key, body });
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    expect(await toolLines(requestIdOf(response))).toEqual(lines);
  });
});

test("a client that leaves pays for the searches so far", async () => {
  const abort = new AbortController();
  const response = await fetch(`${stack.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "test-gpt-searching-slow",
      input: "Say a word, then another one, and so on until there are very many of them.",
      tools,
      stream: true,
    }),
    signal: abort.signal,
  });
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.includes("output_text.delta")) break;
  }
  abort.abort();
  const requestId = response.headers.get("x-request-id");
  await eventually(async () => {
    expect(await toolLines(requestId)).toEqual([["tool:web_search", 3n, 30_000_000n]]);
  });
});

test.each([
  ["/v1/responses", { model: "test-gpt-searching-reported", input: "Hello there", tools }],
  [
    "/v1/messages",
    {
      model: "test-allows-claude-web_search",
      max_tokens: 10,
      messages: [{ role: "user", content: "Hello there" }],
      tools: [{ type: "web_search_20260318", name: "web_search" }],
    },
  ],
])("a wallet that cannot pay for one search gets none: %s", async (path, body) => {
  const poor = await stack.newAccount(0.001);
  const before = stack.simulator.calls.list().length;
  for (const stream of [false, true]) {
    const sent = { ...body, max_tokens: undefined, max_output_tokens: 10, stream };
    const limited = path === "/v1/messages" ? { ...body, stream } : sent;
    const response = await send(`${stack.url}${path}`, { key: poor.key, body: limited });
    expect([response.status, response.body]).toMatchObject([
      402,
      { error: { code: "credit_balance_exhausted" } },
    ]);
  }
  expect(stack.simulator.calls.list()).toHaveLength(before);
});
