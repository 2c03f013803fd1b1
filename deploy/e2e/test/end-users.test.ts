import type { MessageInitShape } from "@bufbuild/protobuf";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { BudgetPeriod, type LimitsSchema } from "@tollgate/proto/tollgate/v1/limits";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf } from "../src/ledger.ts";
import { chatBody, expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { type TestAccount, testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack, account } = await sharedStack();

const messages = [{ role: "user", content: "Hello there" }];

describe("the end user of a request", () => {
  /** Sends a request, and resolves with the end user of its entry. */
  async function recorded(path: string, body: object, { key }: TestAccount = account) {
    const response = await send(`${stack.url}${path}`, { key, body });
    expect(response.status).toBe(200);
    return eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toBeDefined();
      return entry?.endUser;
    });
  }

  test("is one id on every wire, is hashed, and is empty where the request names none", async () => {
    const model = "test-small";
    const user = "ada@acme.com";
    const ids = [
      await recorded("/v1/chat/completions", chatBody({ user })),
      await recorded("/v1/chat/completions", chatBody({ user, stream: true })),
      await recorded("/v1/messages", {
        ...{ model, messages, max_tokens: 50 },
        metadata: { user_id: user },
      }),
      await recorded("/v1/responses", { model, input: "Hello there", user: user }),
      await recorded("/v1/responses", {
        ...{ model, input: "Hello there", user: "somebody" },
        safety_identifier: user,
      }),
    ];
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(await recorded("/v1/chat/completions", chatBody({ user: "bob" }))).not.toBe(ids[0]);
    expect(await recorded("/v1/chat/completions", chatBody())).toBe("");
  });

  test("is summed and found by its hash, or by its name once the account keeps it", async () => {
    const { accountId, key } = await stack.newAccount(1);
    const tollgate = (...args: string[]) => runTollgate(stack.operatorAddress, testSecrets, args);
    const chat = async (more: object) => {
      const body = chatBody({ ...more });
      const response = await send(`${stack.url}/v1/chat/completions`, { key, body });
      return requestIdOf(response) ?? "";
    };
    const ada = "ada@example.com";
    const ids = [await chat({ user: ada }), await chat({ user: ada })];
    await chat({ user: "bob" });
    await chat({});
    const sums = async () => {
      const now = BigInt(Math.floor(Date.now() / 3_600_000) * 3_600);
      const { usage } = await stack.operator.readUsage({
        ...{ account: accountId, by: UsageBy.END_USER, thenBy: UsageBy.MODEL },
        ...{ from: { seconds: now - 3_600n }, to: { seconds: now + 3_600n } },
      });
      return (usage?.sums ?? []).map(({ name, thenName, requests }) => [name, thenName, requests]);
    };
    const hash = expect.stringMatching(/^[\da-f]{32}$/);
    await eventually(async () => {
      expect(await sums()).toEqual([
        [hash, "test-small", 2n],
        [hash, "test-small", 1n],
      ]);
    });
    const listed = async (endUser: string) => {
      const { requests } = await stack.operator.listRequests({ account: accountId, endUser });
      return requests.map(({ requestId }) => requestId);
    };
    expect(await listed(ada)).toEqual(ids.toReversed());
    const [[stored]] = (await sums()) as [[string]];
    expect(await listed(stored)).toEqual(ids.toReversed());

    await tollgate("account", "end-users", accountId, "--keep", "plain");
    await eventually(async () => {
      await chat({ user: ada });
      const usage = await tollgate("usage", "--account", accountId, "--by", "end-user,key");
      expect(usage.stdout).toContain(ada);
    });
  });
});

describe("limits of each end user of a key", () => {
  async function limitedKey(limits: MessageInitShape<typeof LimitsSchema>): Promise<TestAccount> {
    const { accountId } = await stack.newAccount(1);
    const { keyId, key } = await stack.operator.createKey({ account: accountId, limits });
    return { accountId, keyId, key };
  }

  test("requests per minute are those of the user on every wire, and refused with 429 beyond", async () => {
    const { key } = await limitedKey({ requestsPerMinutePerUser: 2 });
    const chat = (more: Record<string, unknown>) =>
      send(`${stack.url}/v1/chat/completions`, { key, body: chatBody(more) });
    for (const remaining of ["1", "0"]) {
      const { status, headers } = await chat({ user: "ada" });
      expect([status, headers.get("x-ratelimit-remaining-requests")]).toEqual([200, remaining]);
    }
    const ofMessages = { model: "test-small", messages, max_tokens: 50 };
    const refusals = [
      await chat({ user: "ada", stream: true }),
      await send(`${stack.url}/v1/messages`, {
        ...{ key, body: { ...ofMessages, metadata: { user_id: "ada" } } },
      }),
    ];
    for (const refused of refusals) {
      expect(refused.status).toBe(429);
      expect(refused.text).toContain("this end user of the API key, 2 requests per minute");
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await chat({ user: "bob" })).status).toBe(200);
  });

  test("a budget is spent exactly, also by requests that name no user, and refuses with 402", async () => {
    const searchNanoUsd = 2_000_000n;
    const budgetPerUser = { amountNanoUsd: 3n * searchNanoUsd, period: BudgetPeriod.DAY };
    const { keyId, key } = await limitedKey({ budgetPerUser });
    const body = { model: "test-rerank", query: "what", documents: ["a", "b"] };
    const rerank = () => send(`${stack.url}/v1/rerank`, { key, body });
    const responses = await Promise.all(Array.from({ length: 8 }, rerank));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    await eventually(async () => {
      const { key: read } = await stack.operator.getKey({ keyId });
      expect(read?.endUsers).toMatchObject([
        { endUser: "", spentNanoUsd: 3n * searchNanoUsd, heldNanoUsd: 0n },
      ]);
    });
    const refused = await rerank();
    expectEnvelope(refused, 402, "credit_balance_exhausted");
    expect(refused.text).toContain("The budget of this end user of the API key, 0.006 USD per day");
    const named = chatBody({ user: "ada" });
    expect((await send(`${stack.url}/v1/chat/completions`, { key, body: named })).status).toBe(200);
  });
});
