import { describe, expect, test } from "vitest";
import { readFile } from "../src/chat-parts.ts";
import { entryOf } from "../src/ledger.ts";
import { chatBody, eventsOf, expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account } = await sharedStack();

describe("a provider of the kind xai", () => {
  const post = (path: string, body: object) =>
    send(`${stack.url}${path}`, { key: account.key, body });
  const chat = (model: string, more: object = {}) =>
    post("/v1/chat/completions", chatBody({ model, ...more }));

  test.each([
    ["a completion", false],
    ["a stream", true],
  ])("is billed for reasoning, which it counts beside the completion, in %s", async (_, stream) => {
    const response = await chat("test-grok", { stream });
    expect(response.status).toBe(200);
    if (stream) expect(eventsOf(response.text).at(-1)).toBe("[DONE]");
    // 3 × 3 + (6 + 12) × 15 = 279 USD per million.
    expect(response.text).toContain('"cost":0.000279');
    expect(response.text).toContain('"completion_tokens":18,"total_tokens":21');
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry).toMatchObject({
      provider: "xai",
      lines: [
        { dimension: "input", quantity: 3n },
        { dimension: "output", quantity: 18n },
      ],
    });
    const usage = { completion_tokens: 6, completion_tokens_details: { reasoning_tokens: 12 } };
    expect(JSON.parse(entry?.providerUsage ?? "")).toMatchObject(usage);
  });

  test("is sent the request as it came, with the key", async () => {
    const more = { seed: 7, n: 2, logprobs: true, stop: "END", parallel_tool_calls: false };
    const response = await chat("test-grok-plain", { ...more, tools: [readFile] });
    expect(response.status).toBe(200);
    const [call] = stack.simulator.calls.list().slice(-1);
    expect(call).toMatchObject({ route: "/xai/v1/chat/completions", authorized: true });
    expect(call?.body).toMatchObject({ ...more, model: "grok-4-fast-non-reasoning" });
  });

  test.each([
    ["top_k", "test-grok", { top_k: 5 }],
    ["min_p", "test-grok", { min_p: 0.5 }],
    ["logit_bias", "test-grok", { logit_bias: { 5: 1 } }],
    ["metadata", "test-grok-plain", { metadata: { team: "a" } }],
    ["stop", "test-grok", { stop: "END" }],
    ["frequency_penalty", "test-grok", { frequency_penalty: 0.5 }],
    ["presence_penalty", "test-grok", { presence_penalty: 0.5 }],
  ])("is not called with what xAI refuses: %s, of %s", async (param, model, more) => {
    const before = stack.simulator.calls.list().length;
    expectEnvelope(await chat(model, more), 400, "invalid_param", param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });

  test("generates images, and is not called with their size", async () => {
    const request = { model: "test-grok-image", prompt: "a cat", n: 2 };
    const response = await post("/v1/images/generations", request);
    expect(response.body).toMatchObject({ usage: { images: 2, cost: 0.08 } });
    const before = stack.simulator.calls.list().length;
    const sized = await post("/v1/images/generations", { ...request, size: "1024x1024" });
    expectEnvelope(sized, 400, "invalid_param", "size");
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });
});
