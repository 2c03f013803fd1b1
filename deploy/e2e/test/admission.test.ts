import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import { afterAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { type TestAccount, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack } = await sharedStack();

// The tests mostly wait for streams, and have accounts of their own.
describe("an account's admission policy", () => {
  function post({ key }: TestAccount, path: string, body: Record<string, unknown>) {
    return send(`${stack.url}/v1/${path}`, { key, body });
  }

  test.concurrent("whole refuses a request unless all that it may cost is available", async () => {
    const strict = await stack.newAccount(0.00005, "strict");
    const whole = await stack.newAccount(0.00005, "whole");
    const calls: [string, Record<string, unknown>][] = [
      ["chat/completions", chatBody()],
      ["chat/completions", chatBody({ stream: true })],
      ["images/generations", { model: "test-image", prompt: "A cat" }],
      ["rerank", { model: "test-rerank", query: "q", documents: ["a", "b"] }],
    ];
    for (const [path, body] of calls) {
      const user = `refused-${path}`;
      const refused = await post(
        whole,
        path,
        path === "chat/completions" ? { ...body, user } : body,
      );
      expectEnvelope(refused, 402, "credit_balance_exhausted");
      expect(refused.text).toContain("admission policy");
      expect(stack.simulator.calls.list({ user })).toEqual([]);
    }
    expect((await readWalletRow(stack, whole)).held).toBe(0n);
    const small = chatBody({ max_tokens: 10, ...simulate("usage=10,10") });
    expect((await post(whole, "chat/completions", small)).status).toBe(200);
    expect((await post(strict, "chat/completions", chatBody())).status).toBe(200);
  });

  test.concurrent("is changed by the operator, also for keys in use", async () => {
    const account = await stack.newAccount(0.00005, "whole");
    expect((await post(account, "chat/completions", chatBody())).status).toBe(402);
    const changed = await runTollgate(stack.operatorAddress, testSecrets, [
      "account",
      "update",
      account.accountId,
      "--admission",
      "strict",
      "--json",
    ]);
    expect(changed.json()).toMatchObject({ id: account.accountId, admission: "strict" });
    await eventually(async () =>
      expect((await post(account, "chat/completions", chatBody())).status).toBe(200),
    );
  });

  /** An agent's call: 400 KB of prompt, and a real cost of $0.30. */
  const agentCall = {
    model: "test-agent",
    stream: true,
    messages: [{ role: "user", content: "context ".repeat(50_000) }],
    ...simulate("usage=50000,2000&tokens=2000&chunks=20&gap_ms=50"),
  };

  /** Returns how ten parallel agents on a wallet of $5 ended: a finish reason, or a status. */
  async function runAgents(admission: string) {
    const account = await stack.newAccount(5, admission);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => post(account, "chat/completions", agentCall)),
    );
    const ends = responses.map(({ status, text }) => (status === 200 ? streamOf(text) : status));
    return { account, ends };
  }

  test.concurrent("likely serves ten parallel agents uncut from $5, where strict refuses most", async () => {
    const likely = await runAgents("likely");
    expect(likely.ends).toEqual(
      Array.from({ length: 10 }, () => ({
        finish: "stop",
        characters: 8_000,
        cost: 300_000_000n,
      })),
    );
    await eventually(async () => {
      const { balance, held, entries } = await readWalletRow(stack, likely.account);
      expect([balance, held]).toEqual([2_000_000_000n, 0n]);
      expect(entries.every(({ uncollected }) => uncollected === 0n)).toBe(true);
    });
    const strict = await runAgents("strict");
    expect(strict.ends.filter((end) => end === 402).length).toBeGreaterThanOrEqual(7);
  });

  test.concurrent("likely does not lower the output limit for what a cache write would cost", async () => {
    const account = await stack.newAccount(1, "likely");
    const user = "limit-not-lowered";
    const messages = [{ role: "user", content: "x".repeat(2_700) }];
    const body = { model: "test-dimensions", user, messages };
    for (const stream of [false, true]) {
      expect((await post(account, "chat/completions", { ...body, stream })).status).toBe(200);
    }
    const full = { body: expect.objectContaining({ max_completion_tokens: 4_096 }) };
    expect(stack.simulator.calls.list({ user })).toMatchObject([full, full]);
  });

  test.concurrent("likely holds a slice of a stream, and grows it, so that a long one is not cut", async () => {
    const account = await stack.newAccount(1, "likely");
    const call = chatBody({ model: "test-agent", stream: true });
    const held = await startHolding(account, call);
    // 2,048 output tokens, and 5 + 16 of the prompt.
    expect(held).toBe(51_305_000n);
    const long = simulate("tokens=9000&chunks=90&gap_ms=5");
    const { text } = await post(account, "chat/completions", { ...call, ...long });
    expect(streamOf(text)).toMatchObject({ finish: "stop", characters: 36_000 });
    await expectCharged(account, streamOf(text).cost, 0n);
  });

  test.concurrent("a growth that is refused ends the stream with length, and bills what was delivered", async () => {
    const account = await stack.newAccount(0.1, "likely");
    const held = await startHolding(account, chatBody({ model: "test-agent", max_tokens: 2_000 }));
    expect(held).toBe(50_105_000n);
    const user = "cut-by-growth";
    const stream = await post(
      account,
      "chat/completions",
      chatBody({
        model: "test-agent",
        stream: true,
        user,
        ...simulate("tokens=3900&chunks=39&gap_ms=25"),
      }),
    );
    const { finish, characters, cost } = streamOf(stream.text);
    expect(finish).toBe("length");
    expect(stream.text.trim().endsWith("data: [DONE]")).toBe(true);
    // The other $0.0499 pay for 1,993 tokens of three bytes. A chunk has 400.
    expect(characters).toBe(6_000);
    expect(usageOf(stream.text).completion_tokens).toBe(1_500);
    const [call] = stack.simulator.calls.list({ user });
    // The balance of $0.10 pays for less than the model's 32,000 tokens.
    expect(call?.body).toMatchObject({ max_completion_tokens: 3_998 });
    await eventually(() => expect(call?.outcome).toBe("client_disconnected"));
    await expectCharged(account, cost, 0n);
  });

  test.concurrent("a prompt that costs more than likely is charged what is reported", async () => {
    const content = "x".repeat(3_000);
    const messages = [{ role: "user", content }];
    // One token a byte, as in some scripts: $0.01525. What is likely is $0.00533.
    const body = { model: "test-counting", max_tokens: 10, messages, ...simulate("usage=3000,10") };
    const funded = await stack.newAccount(1, "likely");
    for (const stream of [false, true]) {
      const response = await post(funded, "chat/completions", { ...body, stream });
      expect(costOf(response)).toBe(15_250_000n);
      await expectCharged(funded, 15_250_000n, 0n);
    }
    const poor = await stack.newAccount(0.008, "likely");
    const response = await post(poor, "chat/completions", body);
    expect(costOf(response)).toBe(8_000_000n);
    await expectCharged(poor, 8_000_000n, 7_250_000n);
    expect((await readWalletRow(stack, poor)).balance).toBe(0n);
  });

  test.concurrent.each([
    "likely",
    "strict",
    "whole",
  ])("%s charges in full a prompt that the provider counts higher than its bytes", async (admission) => {
    const account = await stack.newAccount(3, admission);
    // The images of the prompt, or the vendor's own tokenizer: $0.12755, and $0.00025 of output.
    const counted = chatBody({
      model: "test-counting",
      max_tokens: 10,
      ...simulate("usage=25510,10"),
    });
    for (const stream of [false, true]) {
      const response = await post(account, "chat/completions", { ...counted, stream });
      expect(costOf(response)).toBe(127_800_000n);
      await expectCharged(account, 127_800_000n, 0n);
    }
    const usage_block = encodeURIComponent(JSON.stringify(searched));
    const searching = { model: "test-dimensions", ...simulate(`usage_block=${usage_block}`) };
    const response = await post(account, "chat/completions", chatBody(searching));
    await expectCharged(account, costOf(response), 0n);
    expect(costOf(response)).toBe(2_509_033_000n);
  });

  test.concurrent("a budget pays what a prompt costs beyond its hold, as far as it goes", async () => {
    const { accountId } = await stack.newAccount(1, "whole");
    const budget = { amountNanoUsd: 100_000_000n, period: BudgetPeriod.DAY };
    const key = await stack.operator.createKey({ account: accountId, limits: { budget } });
    const account = { ...key, accountId };
    const body = chatBody({
      model: "test-counting",
      max_tokens: 10,
      ...simulate("usage=25510,10"),
    });
    const response = await post(account, "chat/completions", body);
    expect(costOf(response)).toBe(100_000_000n);
    await expectCharged(account, 100_000_000n, 27_800_000n);
  });

  test.concurrent("output above the limit that the provider was sent is not billed", async () => {
    const account = await stack.newAccount(1, "likely");
    for (const stream of [false, true]) {
      const body = { model: "test-counting", max_tokens: 10, stream, ...simulate("usage=20,40") };
      const response = await post(account, "chat/completions", chatBody(body));
      expect(costOf(response)).toBe(350_000n);
      await expectCharged(account, 350_000n, 0n);
    }
  });

  test.concurrent("money that another request takes in between is not reported as paid", async () => {
    const account = await stack.newAccount(0.02, "likely");
    const held = await startHolding(account, chatBody({ model: "test-counting", max_tokens: 500 }));
    const messages = [{ role: "user", content: "x".repeat(3_000) }];
    const response = await post(account, "chat/completions", {
      model: "test-counting",
      max_tokens: 10,
      messages,
      ...simulate("usage=3000,10"),
    });
    const cost = costOf(response);
    expect(cost).toBe(20_000_000n - held);
    await expectCharged(account, cost, 15_250_000n - cost);
  });

  // Calls whose clients have left go on at the provider.
  afterAll(() => stack.simulator.release());

  /** Starts a call that holds money until the tests end, and then fails, so that it is not billed. */
  async function startHolding(account: TestAccount, body: Record<string, unknown>) {
    const controller = new AbortController();
    const call = fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, ...simulate("delay_ms=60000&status=500") }),
      signal: controller.signal,
    });
    call.catch(() => {});
    const { held } = await eventually(async () => {
      const wallet = await readWalletRow(stack, account);
      expect(wallet.held).toBeGreaterThan(0n);
      return wallet;
    });
    controller.abort();
    return held;
  }

  /** Waits for the newest entry of a charge, and checks what it left uncollected. */
  async function expectCharged(account: TestAccount, cost: bigint, uncollected: bigint) {
    await eventually(async () => {
      const { entries } = await readWalletRow(stack, account);
      expect(entries).toContainEqual(expect.objectContaining({ amount: -cost, uncollected }));
    });
  }
});

/** Ten searches of a provider's own tool, whose results it counts as input. */
const searched = {
  prompt_tokens: 401_468,
  completion_tokens: 10,
  total_tokens: 401_478,
  server_tool_use: { web_search_requests: 10 },
};

interface Usage {
  completion_tokens: number;
  cost: number;
}

interface StreamedChunk {
  choices: { delta: { content?: string }; finish_reason: string | null }[];
  usage?: Usage;
}

/** Returns how a stream ended, and how much text and what cost it has. */
function streamOf(text: string) {
  const choices = chunksOf(text).flatMap((chunk) => chunk.choices);
  const content = choices.map(({ delta }) => delta.content ?? "").join("");
  const finish = choices.map(({ finish_reason }) => finish_reason).find((reason) => reason);
  return { finish, characters: content.length, cost: nanoUsd(usageOf(text).cost) };
}

function usageOf(text: string): Usage {
  const usage = chunksOf(text).at(-1)?.usage;
  if (usage === undefined) throw new Error("the stream has no usage");
  return usage;
}

function chunksOf(text: string): StreamedChunk[] {
  return eventsOf(text).filter((event) => event !== "[DONE]") as StreamedChunk[];
}

function costOf({ body, text }: HttpResponse): bigint {
  const { usage } = (body ?? {}) as { usage?: Usage };
  return nanoUsd((usage ?? usageOf(text)).cost);
}
