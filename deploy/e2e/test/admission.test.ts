import { beforeAll, describe, expect, test } from "vitest";
import { readWallet } from "../src/ledger.ts";
import { chatBody, expectEnvelope, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { type Account, fleetSecret, type Stack } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

describe("an account's admission policy", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await sharedStack();
  });

  function post({ key }: Account, path: string, body: Record<string, unknown>) {
    return send(`${stack.url}/v1/${path}`, { key, body });
  }

  test("whole refuses a request unless all that it may cost is available", async () => {
    const strict = await stack.newAccount(0.00005, "strict");
    const whole = await stack.newAccount(0.00005, "whole");
    const calls: [string, Record<string, unknown>][] = [
      ["chat/completions", chatBody()],
      ["chat/completions", chatBody({ stream: true })],
      ["images/generations", { model: "test-image", prompt: "A cat" }],
      ["rerank", { model: "test-rerank", query: "q", documents: ["a", "b"] }],
    ];
    for (const [path, body] of calls) {
      const before = stack.simulator.calls.list().length;
      const refused = await post(whole, path, body);
      expectEnvelope(refused, 402, "credit_balance_exhausted");
      expect(refused.text).toContain("admission policy");
      expect(stack.simulator.calls.list()).toHaveLength(before);
    }
    expect((await readWallet(stack, whole)).held).toBe(0n);
    const small = chatBody({ max_tokens: 10, ...simulate("usage=10,10") });
    expect((await post(whole, "chat/completions", small)).status).toBe(200);
    expect((await post(strict, "chat/completions", chatBody())).status).toBe(200);
  });

  test("is changed by the operator, also for keys in use", async () => {
    const account = await stack.newAccount(0.00005, "whole");
    expect((await post(account, "chat/completions", chatBody())).status).toBe(402);
    const changed = await runTollgate(stack.operatorAddress, fleetSecret, [
      "account",
      "update",
      account.accountId,
      "--admission",
      "strict",
      "--json",
    ]);
    expect(changed.json()).toMatchObject({ id: account.accountId, admission: "strict" });
    await expect
      .poll(async () => (await post(account, "chat/completions", chatBody())).status, {
        timeout: 8_000,
      })
      .toBe(200);
  });
});
