import { describe, expect, test } from "vitest";
import { entryOf } from "../src/ledger.ts";
import { chatBody, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account } = await sharedStack({ creditUsd: 10 });

describe("a response is passed on", () => {
  function post(path: string, body: object) {
    return fetch(`${stack.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  function speak(model: string, input = "Hello there") {
    return post("/v1/audio/speech", { model, input, voice: "alto" });
  }

  test("as chunks of a chat that arrive as they are generated, not at the end", async () => {
    const body = chatBody({ stream: true, ...simulate("chunks=5&gap_ms=300") });
    const response = await post("/v1/chat/completions", body);
    const startedAt = performance.now();
    const arrivals: number[] = [];
    for await (const _ of response.body ?? []) arrivals.push(performance.now() - startedAt);
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(800);
  });

  test("as bytes of speech that arrive as they are generated", async () => {
    const startedAt = performance.now();
    const response = await speak("test-speech-paced", "x".repeat(100));
    const arrivals: number[] = [];
    for await (const _ of response.body ?? []) arrivals.push(performance.now() - startedAt);
    expect(arrivals[0]).toBeGreaterThan(1_400);
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(1_400);
  });

  test("up to where its provider disconnects: then it ends abruptly, at no charge", async () => {
    const response = await speak("test-speech-cut");
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "failure", amountNanoUsd: 0n });
  });
});
