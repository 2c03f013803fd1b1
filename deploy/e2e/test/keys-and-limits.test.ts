import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../src/http-response.ts";
import { chatBody, expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, expectBooks } = await sharedStack({ creditUsd: 1 });

describe("keys, wallets and limits of chat", () => {
  function post(body: unknown, key: string | undefined = account.key): Promise<HttpResponse> {
    return send(`${stack.url}/v1/chat/completions`, { key, body });
  }

  test("a revoked key is 403 at once, also when it was in use a moment ago", async () => {
    const other = await stack.newAccount(1);
    expect((await post(chatBody(), other.key)).status).toBe(200);
    await stack.operator.revokeKey({ keyId: other.keyId });
    await expect
      .poll(async () => (await post(chatBody(), other.key)).status, { timeout: 2_000 })
      .toBe(403);
    expectEnvelope(await post(chatBody(), other.key), 403, "key_revoked");
  });

  test("an unknown key is refused before an empty wallet, and both before the body is read", async () => {
    const poor = await stack.newAccount(0);
    expectEnvelope(await post("{", poor.key), 402, "credit_balance_exhausted");
    await stack.operator.topUpWallet({
      account: poor.accountId,
      amountNanoUsd: 1_000_000n,
      reference: "first",
    });
    expectEnvelope(await post("{", poor.key), 400, "invalid_json");
  });

  test("credits return the wallet, and health needs no key", async () => {
    expect((await post(chatBody())).status).toBe(200);
    await expectBooks();
    const credits = await send(`${stack.url}/v1/credits`, { key: account.key });
    expect(credits.body).toEqual({
      object: "credit_summary",
      currency: "USD",
      balance: expect.any(Number),
      held: expect.any(Number),
      available: expect.any(Number),
      spend_30d: expect.any(Number),
      period_start: expect.any(Number),
      period_end: expect.any(Number),
    });
    expect(credits.text).toMatch(/"balance":0\.\d{6},/);
    expectEnvelope(await send(`${stack.url}/v1/credits`), 401, "invalid_api_key");
    const health = await send(`${stack.url}/v1/health`);
    expect(health.body).toMatchObject({
      status: "ok",
      version: expect.any(String),
      uptime_seconds: expect.any(Number),
      services: { chat: "ok", billing: "ok", ledger: "ok" },
    });
  });

  test("chat responses carry the rate limit headers with real counts", async () => {
    const own = await stack.newAccount(1);
    await post(chatBody(), own.key);
    const { headers } = await post(chatBody(), own.key);
    expect(headers.get("x-ratelimit-limit-requests")).toBe("10000");
    expect(headers.get("x-ratelimit-remaining-requests")).toBe("9998");
    expect(headers.get("x-ratelimit-limit-tokens")).toBe("10000000");
    expect(Number(headers.get("x-ratelimit-remaining-tokens"))).toBeLessThan(10_000_000);
    expect(headers.get("x-ratelimit-reset-requests")).toMatch(/^(\d+m)?\d+s$/);
    expect(headers.get("x-ratelimit-reset-tokens")).toMatch(/^(\d+m)?\d+s$/);
  });

  test("refusals carry the rate limit headers once the key is known", async () => {
    const own = await stack.newAccount(1);
    await post(chatBody(), own.key);
    const refused = await post(chatBody({ temperature: "warm" }), own.key);
    expectEnvelope(refused, 400, "invalid_param", "temperature");
    expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("9999");
    const stranger = await post(chatBody(), "sk-tollgate-nobody");
    expectEnvelope(stranger, 401, "invalid_api_key");
    expect(stranger.headers.has("x-ratelimit-remaining-requests")).toBe(false);
  });

  test("responses to a settlement-channel key carry the request id as Inference-Id", async () => {
    const { key } = await stack.operator.createKey({
      account: account.accountId,
      channel: "settlement",
    });
    for (const response of [await post(chatBody(), key), await post(chatBody({ n: 0 }), key)]) {
      expect(response.headers.get("inference-id")).toBe(response.headers.get("x-request-id"));
    }
    expect((await post(chatBody())).headers.get("inference-id")).toBeNull();
  });
});
