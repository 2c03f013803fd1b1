import { describe, expect, test } from "vitest";
import { entryOf } from "../src/ledger.ts";
import { chatBody, requestIdOf, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

/** The block of an agent's turn: reads, writes, reasoning and a search. */
const agentTurn = {
  prompt_tokens: 900,
  completion_tokens: 50,
  total_tokens: 950,
  prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 200 },
  completion_tokens_details: { reasoning_tokens: 30 },
  server_tool_use: { web_search_requests: 2 },
};
const agentLines = [
  { dimension: "input", quantity: 100n, amountNanoUsd: 300_000n },
  { dimension: "cached_input", quantity: 600n, amountNanoUsd: 180_000n },
  { dimension: "cache_write", quantity: 200n, amountNanoUsd: 750_000n },
  { dimension: "output", quantity: 20n, amountNanoUsd: 300_000n },
  { dimension: "reasoning", quantity: 30n, amountNanoUsd: 300_000n },
  { dimension: "tool:web_search", quantity: 2n, amountNanoUsd: 20_000_000n },
];

const { stack, account } = await sharedStack({ creditUsd: 1 });

describe("the dimensions of a chat's usage", () => {
  function post(block: object, more: object = {}) {
    const command = simulate(`usage_block=${encodeURIComponent(JSON.stringify(block))}`);
    const body = chatBody({ model: "test-dimensions", ...command, ...more });
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body });
  }

  test.each([
    ["a completion", {}],
    ["a stream", { stream: true, stream_options: { include_usage: true } }],
  ])("each have a line in the entry of %s, beside the provider's block", async (_, more) => {
    const response = await post(agentTurn, more);
    expect(response.status).toBe(200);
    expect(response.text).toContain('"cost":0.021830');
    expect(response.text).toContain('"prompt_tokens":900');
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry?.lines).toMatchObject(agentLines);
    expect(JSON.parse(entry?.providerUsage ?? "")).toEqual(agentTurn);
  });

  test.each([
    ["without a total", {}],
    ["with a total", { total_tokens: 950 }],
  ])("include the cache in the input of a provider with OpenAI's API, %s", async (_, total) => {
    const counts = { input_tokens: 900, output_tokens: 50, cache_read_input_tokens: 600 };
    const response = await post({ ...counts, ...total });
    expect(response.body).toMatchObject({
      usage: { prompt_tokens: 900, completion_tokens: 50, cost: 0.003_45 },
    });
  });

  test.each([
    ["embeddings", "test-embed", { input: "Hello" }, "input"],
    ["rerank", "test-rerank", { query: "a", documents: ["b"] }, "searches"],
    ["classification", "test-taxonomy", { input: "Hello" }, "pages"],
    ["images/generations", "test-image", { prompt: "a house" }, "images"],
    ["audio/speech", "test-speech", { input: "Hello", voice: "alloy" }, "chars"],
  ])("are one on /v1/%s: its unit, at the model's price", async (path, model, body, dimension) => {
    const url = `${stack.url}/v1/${path}`;
    const response = await send(url, { key: account.key, body: { model, ...body } });
    expect(response.status).toBe(200);
    const entry = await entryOf(stack, account, requestIdOf(response));
    const quantity = entry?.quantity;
    expect(quantity).toBeGreaterThan(0n);
    expect(entry?.lines).toMatchObject([{ dimension, quantity }]);
    const { usage } = (response.body ?? {}) as { usage?: unknown };
    // The one of these responses that reaches the client with its provider's usage.
    if (path === "embeddings") expect(JSON.parse(entry?.providerUsage ?? "")).toEqual(usage);
  });

  test("cost a tier's prices where the prompt is longer", async () => {
    const prompt = "x".repeat(1_100);
    const response = await post(
      { prompt_tokens: 1_001, completion_tokens: 2 },
      { messages: [{ role: "user", content: prompt }] },
    );
    expect(response.body).toMatchObject({ usage: { cost: 0.006_051 } });
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry).toMatchObject({ uncollectedNanoUsd: 0n, amountNanoUsd: -6_051_000n });
  });
});
