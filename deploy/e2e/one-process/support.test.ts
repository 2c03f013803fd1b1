import { randomUUID } from "node:crypto";
import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { chatBody, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack } = await sharedStack();

/** The questions of docs/support.md whose answer no other test has. */
describe("the command of support", () => {
  const chatUrl = `${stack.url}/v1/chat/completions`;

  /** Resolves with what the command prints of a request, once its record is written. */
  async function requestText(id: string): Promise<string> {
    await eventually(() => stack.operator.getRequest({ id }));
    const { stdout } = await runTollgate(stack.operatorAddress, testSecrets, ["request", id]);
    return stdout;
  }

  test("names the provider that failed, its words and its ids, by our id, the client's or the provider's", async () => {
    const { key } = await stack.newAccount(1);
    const mine = `order-${randomUUID()}`;
    const headers = { "x-client-request-id": mine, "user-agent": "sdk/1.2" };
    const body = chatBody({ model: "test-failover" });
    const response = await send(chatUrl, { key, headers, body });
    const id = requestIdOf(response) ?? "";
    const text = await requestText(mine);
    expect(text).toContain(id);
    expect(text).toMatch(/attempts +sim\/first\S* .*: trouble \(503\)\n/);
    expect(text).toMatch(/the provider responded with 503: \S/);
    expect(text).toMatch(/client +sdk\/1\.2\n/);
    expect(text).toMatch(/sent +200\n/);
    expect(text).toMatch(/charged +0\.0000\d+ USD/);
    const [, providerId = ""] = /provider's request id (sim_\S+)/.exec(text) ?? [];
    expect(await requestText(providerId)).toBe(text);
  });

  test("says why a request was refused: no JSON, an empty wallet, a budget that is used up", async () => {
    const [rich, poor] = [await stack.newAccount(1), await stack.newAccount(0)];
    const { key, keyId } = await stack.operator.createKey({
      account: rich.accountId,
      limits: { budget: { amountNanoUsd: 1_000n, period: BudgetPeriod.TOTAL } },
    });
    const refused = await send(chatUrl, { key: rich.key, body: "{" });
    expect(await requestText(requestIdOf(refused) ?? "")).toContain("400 invalid_json: ");
    const empty = await send(chatUrl, { key: poor.key, body: chatBody() });
    const text = await requestText(requestIdOf(empty) ?? "");
    expect(text).toContain("402 credit_balance_exhausted: ");
    expect(text).toContain(`${poor.accountId}, key ${poor.keyId}`);
    const over = await eventually(async () => {
      const response = await send(chatUrl, { key, body: chatBody() });
      expect(response.status).toBe(402);
      return response;
    });
    const why = await requestText(requestIdOf(over) ?? "");
    expect(why).toMatch(/budget/);
    const shown = await runTollgate(stack.operatorAddress, testSecrets, ["key", "show", keyId]);
    expect(shown.stdout).toMatch(/budget: \S+ of \S+ USD\/total/);
  });

  test("shows that a request which failed was not charged", async () => {
    const { key } = await stack.newAccount(1);
    const failed = await send(chatUrl, { key, body: chatBody({ model: "test-failing" }) });
    const text = await requestText(requestIdOf(failed) ?? "");
    expect(text).toMatch(new RegExp(`sent +${failed.status} upstream_rejected: \\S`));
    expect(text).toMatch(/charged +0\.000000 USD/);
  });
});
