import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf } from "../src/ledger.ts";
import { chatBody, eventsOf, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const rankers = ["cohere", "voyage", "jina", "bedrock"] as const;
const embedders = ["cohere", "voyage", "jina", "google", "mistral"] as const;
const dimensions = { cohere: 256, voyage: 256, jina: 16, google: 768, mistral: 256 };

const { stack, account, client, lastCall } = await sharedStack();

describe("providers of other kinds", () => {
  const post = (path: string, body: object) =>
    send(`${stack.url}${path}`, { key: account.key, body });

  test.each(embedders)("%s embeds texts for the OpenAI client, in both formats", async (kind) => {
    const input = ["one text", "and another"];
    const model = `test-${kind}-embed`;
    const size = dimensions[kind];
    // The client requests base64 by default, and decodes it.
    const decoded = await client.embeddings.create({ model, input, dimensions: size });
    const floats = await client.embeddings.create({
      model,
      input,
      dimensions: size,
      encoding_format: "float",
    });
    expect(decoded.data).toHaveLength(2);
    expect(decoded.data[1]?.embedding).toHaveLength(size);
    expect(floats.data.map(({ embedding }) => embedding)).toEqual(
      decoded.data.map(({ embedding }) => Array.from(embedding)),
    );
    expect(floats).toMatchObject({ object: "list", data: [{ index: 0 }, { index: 1 }] });
    expect(lastCall().authorized).toBe(true);
  });

  test.each(embedders)("the tokens that %s reports are billed", async (kind) => {
    const body = { model: `test-${kind}-embed-counted`, input: "some text" };
    const response = await post("/v1/embeddings", body);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ usage: { total_tokens: 70 } });
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toMatchObject({ provider: kind, quantity: 70n, basis: "provider" });
    });
  });

  test.each([
    ["cohere", { input_type: "search_document" }, { input_type: "search_query" }],
    ["voyage", {}, { input_type: "query" }],
    ["jina", {}, { task: "retrieval.query" }],
  ])("a slot says to %s what its texts are for", async (kind, usual, query) => {
    await post("/v1/embeddings", { model: `test-${kind}-embed`, input: "text" });
    const { input_type, task } = lastCall().body as Record<string, unknown>;
    expect({ input_type, task }).toEqual({ ...usual });
    await post("/v1/embeddings", { model: `test-${kind}-query`, input: "text" });
    expect(lastCall().body).toMatchObject(query);
  });

  test("a slot says to google what its texts are for", async () => {
    await post("/v1/embeddings", { model: "test-google-query", input: "text" });
    expect(lastCall().body).toMatchObject({ requests: [{ taskType: "RETRIEVAL_QUERY" }] });
  });

  test.each(rankers)("%s ranks documents", async (kind) => {
    const request = { query: "red fox", documents: ["blue", "red fox", "red"], top_n: 2 };
    const ranked = await post("/v1/rerank", { model: `test-${kind}-rerank`, ...request });
    expect(ranked.status).toBe(200);
    expect(ranked.body).toMatchObject({ results: [{ index: 1 }, { index: 2 }] });
    expect((ranked.body as { results: object[] }).results).toHaveLength(2);
    expect(ranked.text).not.toContain("document");
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(ranked));
      expect(entry).toMatchObject({ provider: kind, quantity: 1n, amountNanoUsd: -2_000_000n });
    });
  });

  test("azure is sent the key in its own header, on every route that it serves", async () => {
    const chat = await post("/v1/chat/completions", chatBody({ model: "test-azure" }));
    expect(chat.status).toBe(200);
    const stream = await post(
      "/v1/chat/completions",
      chatBody({ model: "test-azure", stream: true, logit_bias: { 1: 2 } }),
    );
    expect(eventsOf(stream.text).at(-1)).toBe("[DONE]");
    const embedded = await post("/v1/embeddings", { model: "test-azure-embed", input: "text" });
    expect(embedded.status).toBe(200);
    const image = await post("/v1/images/generations", { model: "test-azure-image", prompt: "x" });
    expect(image.status).toBe(200);
    const mixed = await post("/v1/chat/completions", chatBody({ model: "test-azure-down" }));
    expect(mixed.status).toBe(200);
    await eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(mixed));
      expect(entry).toMatchObject({ provider: "claude" });
    });
  });
});
