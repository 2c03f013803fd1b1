import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conversationClient } from "../src/conversation-client.ts";
import { expectBalancedLedger } from "../src/ledger.ts";
import { expectEnvelope } from "../src/request.ts";
import { type OwnStack, startStack } from "../src/stack.ts";

describe("a large conversation", () => {
  let stack: OwnStack;

  beforeAll(async () => {
    stack = await startStack();
  });

  afterAll(async () => {
    await expectBalancedLedger(stack);
    await stack.stop();
  });

  const image = (bytes: number) => {
    const url = `data:image/png;base64,${"A".repeat(bytes)}`;
    return [{ type: "image_url", image_url: { url } }];
  };

  test("holds 32 MiB, can be read in full, and takes no turn beyond that", async () => {
    const chat = conversationClient(stack, await stack.newAccount(50));
    const id = randomUUID();
    const model = "test-vision";
    expect((await chat.say(id, image(17_000_000), { model })).status).toBe(200);
    const calls = stack.simulator.calls.list().length;
    const refused = await chat.say(id, image(17_000_000), { model });
    expectEnvelope(refused, 400, "context_length_exceeded", "messages");
    expect(stack.simulator.calls.list()).toHaveLength(calls);
    expect((await chat.say(id, image(16_000_000), { model })).status).toBe(200);
    const { turn_count, turns } = await chat.detail(id);
    expect([turn_count, turns.length]).toEqual([2, 2]);
  });
});
