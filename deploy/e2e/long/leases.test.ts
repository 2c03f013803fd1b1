import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conversationClient } from "../src/conversation-client.ts";
import { eventually } from "../src/eventually.ts";
import { expectReplay, idempotencyClient } from "../src/idempotency-client.ts";
import { expectBalancedLedger, readWalletRow } from "../src/ledger.ts";
import { chatBody, simulate } from "../src/request.ts";
import { type OwnStack, startStack } from "../src/stack.ts";

/** A lease lasts 15 s: each test here waits for one to expire. */
describe("the leases of an edge that was killed", () => {
  let stack: OwnStack;

  beforeAll(async () => {
    const settings = {
      TOLLGATE_SESSION_WAIT_SECONDS: "2",
      // The hold of a killed process expires soon.
      TOLLGATE_HOLD_SECONDS: "5",
    };
    stack = await startStack(settings);
  });

  afterAll(async () => {
    await expectBalancedLedger(stack);
    await stack.stop();
  });

  test.concurrent.each([
    false,
    true,
  ])("a retry runs the request of a killed runner again and charges it once (stream: %s)", async (stream) => {
    const owner = await stack.newAccount(1);
    const post = idempotencyClient(stack, owner);
    const replica = await stack.replica();
    const replicaToKill = await stack.addReplica();
    const user = `killed-${stream}`;
    const body = chatBody({ user, stream, ...simulate("chunks=20&gap_ms=100&delay_ms=500") });
    const providerCalls = () => stack.simulator.calls.list({ user });
    const lost = post("killed", body, { url: replicaToKill.url });
    const failed = expect(lost).rejects.toThrow();
    await eventually(() => expect(providerCalls()).toHaveLength(1));
    if (stream) await eventually(() => expect(providerCalls()[0]?.chunksSent).toBeGreaterThan(3));
    await replicaToKill.kill();
    await failed;
    const startedAt = performance.now();
    const response = await post("killed", body);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect([response.status, response.headers.get("idempotency-replayed")]).toEqual([200, null]);
    expectReplay(await post("killed", body, { url: replica.url }), response);
    expect(providerCalls()).toHaveLength(2);
    await expectBalancedLedger(stack);
    const { entries } = await readWalletRow(stack, owner);
    expect(entries.filter(({ amount }) => amount < 0n)).toHaveLength(1);
  });

  test("a killed holder loses the lock of its conversation within 15 seconds", async () => {
    const id = randomUUID();
    const chat = conversationClient(stack, await stack.newAccount(20));
    const replicaToKill = await stack.addReplica();
    const lost = chat.say(id, "lost", simulate("delay_ms=60000"), { url: replicaToKill.url });
    const failed = expect(lost).rejects.toThrow();
    await eventually(() =>
      expect(chat.lastMessages()).toEqual([{ role: "user", content: "lost" }]),
    );
    await replicaToKill.kill();
    await failed;
    await eventually(async () => expect((await chat.say(id, "next")).status).toBe(200), {
      timeout: 15_000,
      interval: 100,
    });
    expect(chat.lastMessages()).toEqual([{ role: "user", content: "next" }]);
  });
});
