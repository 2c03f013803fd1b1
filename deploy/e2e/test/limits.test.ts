import type { MessageInitShape } from "@bufbuild/protobuf";
import { BudgetPeriod, type LimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { idempotencyClient } from "../src/idempotency-client.ts";
import { readWalletRow } from "../src/ledger.ts";
import { liveClient, talk } from "../src/live-client.ts";
import { metricSum } from "../src/process-metrics.ts";
import { chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";
import { transcriptionClient } from "../src/transcription-client.ts";

type Limits = MessageInitShape<typeof LimitsSchema>;

/** What a call of `rerank` costs. */
const searchNanoUsd = 2_000_000n;

/** A busy machine serves few requests a second. */
const patient = { timeout: 60_000 };

const { stack } = await sharedStack();
const live = liveClient(stack, await stack.newAccount(0));

describe("limits of a key", () => {
  async function limitedKey(limits: Limits, creditUsd = 1): Promise<TestAccount> {
    const { accountId } = await stack.newAccount(creditUsd);
    const { keyId, key } = await stack.operator.createKey({ account: accountId, limits });
    return { accountId, keyId, key };
  }

  function rerank({ key }: TestAccount): Promise<HttpResponse> {
    const body = { model: "test-rerank", query: "what", documents: ["a", "b"] };
    return send(`${stack.url}/v1/rerank`, { key, body });
  }

  function chat({ key }: TestAccount, more: Record<string, unknown> = {}): Promise<HttpResponse> {
    return send(`${stack.url}/v1/chat/completions`, { key, body: chatBody(more) });
  }

  /** Waits until all requests are charged. */
  async function expectCharged(account: TestAccount): Promise<void> {
    await eventually(async () => expect((await readWalletRow(stack, account)).held).toBe(0n));
  }

  /** Resolves with how often a limit has refused requests. */
  const refusals = (limit: string) =>
    metricSum(stack.operationsUrls, "tollgate_limit_refusals_total", `{limit="${limit}"`);

  const holds = (result: string) =>
    metricSum(stack.operationsUrls, "tollgate_holds_total", `{result="${result}"`);

  test("calls that cost nothing have a limit of their own: ten times that of the key", async () => {
    const account = await limitedKey({ requestsPerMinute: 1 });
    const { keyId, key } = account;
    const refused = await refusals("free_calls");
    const listVoices = () => send(`${stack.url}/v1/audio/voices?model=test-speech`, { key });
    const countTokens = () => {
      const body = { model: "test-small", messages: [{ role: "user", content: "hello" }] };
      return send(`${stack.url}/v1/messages/count_tokens`, { key, body });
    };
    const results = await Promise.all([
      ...Array.from({ length: 8 }, listVoices),
      ...Array.from({ length: 4 }, countTokens),
    ]);
    const limited = results.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(2);
    for (const { text, headers } of limited) {
      expect(text).toContain("This key may make 10 free calls a minute.");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(await refusals("free_calls")).toBe(refused + 2);
    expect((await rerank(account)).status).toBe(200);
    await stack.operator.updateKey({ keyId, limits: { set: { requestsPerMinute: 100 } } });
    await eventually(async () => expect((await listVoices()).status).toBe(200));
  });

  test("a budget is spent exactly, and refuses with 402 until it resets", async () => {
    const account = await limitedKey(daily(3n * searchNanoUsd));
    const before = await refusals("budget");
    stack.simulator.calls.clear();
    const responses = await Promise.all(Array.from({ length: 10 }, () => rerank(account)));
    const served = responses.filter(({ status }) => status === 200);
    expect([served.length, stack.simulator.calls.list().length]).toEqual([3, 3]);
    await expectCharged(account);
    const refused = await rerank(account);
    expectEnvelope(refused, 402, "credit_balance_exhausted");
    expect(messageOf(refused)).toBe(
      "The budget of this API key, 0.006 USD per day, is used up. " +
        `It resets at ${tomorrow()}T00:00:00Z.`,
    );
    expect(refused.headers.get("retry-after")).toBeNull();
    expect((await refusals("budget")) - before).toBe(8);
    expect((await readWalletRow(stack, account)).balance).toBe(994_000_000n);
    const { key } = await stack.operator.createKey({ account: account.accountId });
    expect((await rerank({ ...account, key })).status).toBe(200);
  });

  test("a budget of an account limits all of its keys together", async () => {
    const account = await stack.newAccount(1);
    const budget = { amountNanoUsd: searchNanoUsd, period: BudgetPeriod.TOTAL };
    await stack.operator.updateAccount({ account: account.accountId, limits: { set: { budget } } });
    expect((await rerank(account)).status).toBe(200);
    await expectCharged(account);
    const { key } = await stack.operator.createKey({ account: account.accountId });
    const refused = await rerank({ ...account, key });
    expectEnvelope(refused, 402, "credit_balance_exhausted");
    expect(messageOf(refused)).toBe(
      "The budget of this account, 0.002 USD in total, is used up. It does not reset.",
    );
  });

  test("a budget with less left than a whole request may cost says so, and serves a smaller one", async () => {
    const { accountId } = await stack.newAccount(1, "whole");
    const limits = daily(1_000_000n);
    const { keyId, key } = await stack.operator.createKey({ account: accountId, limits });
    const account = { accountId, keyId, key };
    const refused = await chat(account, { max_tokens: 4_000 });
    expectEnvelope(refused, 402, "credit_balance_exhausted");
    expect(messageOf(refused)).toMatch(
      /^This request may cost up to 0.0024\d+ USD, and less is left of the budget of this API key/,
    );
    expect((await chat(account, { max_tokens: 10 })).status).toBe(200);
  });

  test("a budget that calls in flight hold says so", async () => {
    const account = await limitedKey(daily(1_000_000n));
    const first = await live.start({}, account.key);
    await eventually(async () => {
      expect((await readWalletRow(stack, account)).held).toBe(1_000_000n);
    });
    expect(messageOf(await rerank(account))).toBe(
      "The budget of this API key, 0.001 USD per day, is used up, of which calls in flight hold " +
        `0.001 USD. It resets at ${tomorrow()}T00:00:00Z.`,
    );
    first.socket.close();
    await first.closed;
  });

  test("requests per minute are exact, and refused with 429 beyond", async () => {
    const account = await limitedKey({ requestsPerMinute: 3 });
    const before = await refusals("requests");
    for (const remaining of ["2", "1", "0"]) {
      const { status, headers } = await chat(account);
      expect([status, headers.get("x-ratelimit-limit-requests")]).toEqual([200, "3"]);
      expect(headers.get("x-ratelimit-remaining-requests")).toBe(remaining);
      expect(headers.get("x-ratelimit-limit-tokens")).toBe("10000000");
    }
    stack.simulator.calls.clear();
    for (const stream of [false, true]) {
      const refused = await chat(account, { stream });
      expectRateLimited(refused, "The limit of this API key, 3 requests per minute, is reached.");
      expect(refused.headers.get("x-ratelimit-limit-requests")).toBe("3");
      expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
      expect(refused.headers.get("x-ratelimit-reset-requests")).toMatch(/^\d+s$|^1m0s$/);
    }
    const upload = () => transcriptionClient(stack, account).transcribe();
    for (const elsewhere of [await rerank(account), await upload()]) {
      expectRateLimited(elsewhere, "The limit of this API key, 3 requests per minute, is reached.");
      expect(elsewhere.headers.get("x-ratelimit-limit-requests")).toBe("3");
      expect(elsewhere.headers.get("x-ratelimit-limit-tokens")).toBeNull();
    }
    expect(stack.simulator.calls.list()).toEqual([]);
    expect((await refusals("requests")) - before).toBe(4);
  });

  test("the first event of a stream carries the rates", async () => {
    const account = await limitedKey({ requestsPerMinute: 5, tokensPerMinute: 50_000n });
    const { status, headers } = await chat(account, { stream: true });
    expect([status, headers.get("x-ratelimit-remaining-requests")]).toEqual([200, "4"]);
    expect(headers.get("x-ratelimit-limit-tokens")).toBe("50000");
    expect(Number(headers.get("x-ratelimit-remaining-tokens"))).toBeLessThan(50_000);
  });

  test("tokens per minute count what was used, and a request larger than the limit is served once", async () => {
    const account = await limitedKey({ tokensPerMinute: 100n });
    const before = await refusals("tokens");
    const large = await chat(account, { max_tokens: 4_000, ...simulate("usage=40,20") });
    expect([large.status, large.headers.get("x-ratelimit-remaining-tokens")]).toEqual([200, "0"]);
    await expectCharged(account);
    const refused = await chat(account, { max_tokens: 100 });
    expectRateLimited(refused, "The limit of this API key, 100 tokens per minute, is reached.");
    expect(refused.headers.get("x-ratelimit-remaining-tokens")).toBe("40");
    expect((await refusals("tokens")) - before).toBe(1);
    expect((await chat(account, { max_tokens: 5 })).status).toBe(200);
  });

  test("an open stream counts as a parallel request until it ends", async () => {
    const account = await limitedKey({ parallel: 1 });
    const before = await refusals("parallel");
    const controller = new AbortController();
    const streamed = await fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify(
        chatBody({ stream: true, ...simulate("tokens=2000&chunks=500&gap_ms=50") }),
      ),
      signal: controller.signal,
    });
    expect(streamed.status).toBe(200);
    const refused = await rerank(account);
    expectRateLimited(refused, "The limit of this API key, 1 parallel request, is reached.");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await refusals("parallel")) - before).toBe(1);
    controller.abort();
    await eventually(async () => expect((await rerank(account)).status).toBe(200));
  });

  test("an open socket counts as a parallel request until it ends", async () => {
    const account = await limitedKey({ parallel: 1 });
    const first = await live.start({}, account.key);
    await eventually(async () => {
      expect((await readWalletRow(stack, account)).held).toBeGreaterThan(0n);
    });
    expectRateLimited(
      await rerank(account),
      "The limit of this API key, 1 parallel request, is reached.",
    );
    const second = await live.start({}, account.key);
    expect(await second.closed).toBe(1_008);
    expect(second.frames.at(-1)?.error).toMatchObject({ code: "rate_limited", retryable: true });
    first.socket.close();
    expect(await first.closed).toBe(1_000);
    expect((await rerank(account)).status).toBe(200);
  });

  test("a client that sends one request at a time is never refused for parallel requests", async () => {
    const account = await limitedKey({ parallel: 1 });
    for (let sent = 0; sent < 30; sent += 1) {
      const { status, text } = await (sent % 2 === 0 ? rerank(account) : chat(account));
      expect([status, text]).toEqual([200, expect.any(String)]);
    }
  });

  test("a budget that ends during a live stream ends it with its error", async () => {
    const account = await limitedKey(daily(1_000_000n));
    const stream = await live.start({}, account.key);
    talk(stream, 16);
    expect(await stream.closed).toBe(1_008);
    expect(stream.frames.at(-1)?.error).toMatchObject({
      code: "credit_balance_exhausted",
      message: expect.stringContaining("The budget of this API key, 0.001 USD per day, is used up"),
      retryable: false,
    });
  });

  test("a budget that ends during a chat stream ends it with length", async () => {
    const account = await limitedKey(daily(1_500_000n));
    const { status, text } = await chat(account, {
      stream: true,
      ...simulate("tokens=4000&chunks=40&gap_ms=5"),
    });
    expect(status).toBe(200);
    const reasons = eventsOf(text).flatMap((event) => {
      const { choices = [] } = event as { choices?: { finish_reason: string | null }[] };
      return choices.map(({ finish_reason }) => finish_reason);
    });
    expect(reasons.filter((reason) => reason !== null)).toEqual(["length"]);
    await expectCharged(account);
    expect((await readWalletRow(stack, account)).balance).toBeGreaterThanOrEqual(998_500_000n);
  });

  test("a request that a limit refuses leaves its idempotency key free for a retry", async () => {
    const account = await limitedKey({ requestsPerMinute: 1 });
    const post = idempotencyClient(stack, account);
    expect((await chat(account)).status).toBe(200);
    const refused = await post("limited-then-served", chatBody());
    expectEnvelope(refused, 429, "rate_limited");
    const set = { requestsPerMinute: 2 };
    await stack.operator.updateKey({ keyId: account.keyId, limits: { set } });
    const served = await post("limited-then-served", chatBody());
    expect([served.status, served.headers.get("idempotency-replayed")]).toEqual([200, null]);
  });

  test("a model that costs nothing is limited, too", async () => {
    const account = await limitedKey({ requestsPerMinute: 2 }, 0.01);
    for (const remaining of ["1", "0"]) {
      const { status, headers } = await chat(account, { model: "test-free" });
      expect([status, headers.get("x-ratelimit-remaining-requests")]).toEqual([200, remaining]);
    }
    const refused = await chat(account, { model: "test-free" });
    expectRateLimited(refused, "The limit of this API key, 2 requests per minute, is reached.");
  });

  test("the requests of a busy key with limits far above its use share holds", async () => {
    const limits = { requestsPerMinute: 100_000, tokensPerMinute: 100_000_000n, parallel: 1_000 };
    const account = await limitedKey({ ...limits, ...daily(1_000_000_000_000n) }, 1_000);
    const counts = async () => ({ own: await holds("taken"), shared: await holds("shared") });
    const before = await counts();
    const statuses: number[] = [];
    let isOver = false;
    async function client(): Promise<void> {
      while (!isOver) statuses.push((await chat(account, { max_tokens: 10 })).status);
    }
    const clients = Promise.all(Array.from({ length: 4 }, client));
    try {
      // A process that has just started serves more in each round than in the one before, for which
      // its shared hold is sized.
      await eventually(async () => {
        const begun = await counts();
        const busy = await eventually(async () => {
          const now = await counts();
          expect(now.shared - begun.shared).toBeGreaterThanOrEqual(200);
          return now;
        }, patient);
        expect(busy.own - begun.own).toBeLessThan(100);
      }, patient);
    } finally {
      isOver = true;
      await clients;
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    const after = await counts();
    const sent = statuses.length;
    expect(after.own - before.own + after.shared - before.shared).toBe(sent);
    await expectCharged(account);
    // The shared hold and its part of each limit are given back once no request uses them.
    await eventually(async () => {
      const { key } = await stack.operator.getKey({ keyId: account.keyId });
      expect(key?.limits).toMatchObject({ requests: sent, inProgress: 0, heldNanoUsd: 0n });
    });
  }, 180_000);

  test("refusals are not failures of a provider, so that other keys are served", async () => {
    const account = await limitedKey({ requestsPerMinute: 1 });
    expect((await chat(account)).status).toBe(200);
    const refused = await Promise.all(Array.from({ length: 20 }, () => chat(account)));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    expect((await chat(await stack.newAccount(1))).status).toBe(200);
  });
});

function expectRateLimited(response: HttpResponse, message: string): void {
  expectEnvelope(response, 429, "rate_limited");
  const seconds = response.headers.get("retry-after");
  expect(Number(seconds)).toBeGreaterThanOrEqual(1);
  expect(Number(seconds)).toBeLessThanOrEqual(60);
  expect(messageOf(response)).toBe(`${message} Retry in ${seconds} s.`);
  expect(response.headers.get("x-should-retry")).toBe("true");
}

function messageOf({ body }: HttpResponse): string {
  return (body as { error: { message: string } }).error.message;
}

function daily(amountNanoUsd: bigint): Limits {
  return { budget: { amountNanoUsd, period: BudgetPeriod.DAY } };
}

/** Returns the date of the next day in UTC. */
function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
}
