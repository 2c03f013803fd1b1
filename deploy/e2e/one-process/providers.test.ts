import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { testCatalog } from "../src/catalog/catalog.ts";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { chatBody, eventsOf, expectEnvelope, requestIdOf, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account, expectBooks } = await sharedStack();

describe("providers", () => {
  function post(body: Record<string, unknown>): Promise<HttpResponse> {
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body: chatBody(body) });
  }

  async function calls(user: string): Promise<{ model: string; outcome: string }[]> {
    const response = await send(`${stack.simulator.url}/_simulator/calls?user=${user}`);
    return response.body as { model: string; outcome: string }[];
  }

  test.each([
    "test-failover",
    "test-failover-dead",
    "test-failover-empty",
  ])("%s: the next slot serves, JSON and streamed", async (model) => {
    for (const stream of [false, true]) {
      const response = await post({ model, stream });
      expect(response.status).toBe(200);
      expect(response.text).toContain(`"model":"${model}"`);
    }
  });

  test.each([
    ["test-failover-done", "[DONE] alone"],
    ["test-failover-usage", "its usage alone"],
  ])("%s: after a stream of %s the next slot is called", async (model, _) => {
    const user = model;
    const response = await post({ model, user, stream: true });
    expect(response.status).toBe(200);
    expect(response.text).toContain("You said");
    expect(eventsOf(response.text).at(-1)).toBe("[DONE]");
    expect(await calls(user)).toHaveLength(2);
  });

  test("after a response without a choice the next slot is called", async () => {
    const user = "choiceless";
    const response = await post({ model: "test-failover-usage", user });
    expect(response.status).toBe(200);
    expect(response.text).toContain("You said");
    expect(await calls(user)).toHaveLength(2);
  });

  test("an attempt that generated nothing, and reported its usage, is a line of the charge", async () => {
    for (const stream of [false, true]) {
      const response = await post({ model: "test-failover-usage", stream });
      const requestId = response.headers.get("x-request-id");
      const entry = await eventually(async () => {
        const found = await entryOf(stack, account, requestId);
        expect(found).toBeDefined();
        return found;
      });
      const lines = entry?.lines.map(({ dimension, quantity }) => [dimension, quantity]);
      // Three tokens of the prompt at 0.15 micro-USD, rounded up.
      expect(lines).toEqual([
        ["input", 3n],
        ["output", 6n],
        ["empty_attempt", 1n],
      ]);
    }
  });

  /** Resolves with how many of a user's calls reached the slot that fails. */
  const brokenCalls = async (user: string) =>
    (await calls(user)).filter(({ model }) => model.startsWith("broken")).length;

  async function expectTakenOut(body: {
    model: string;
    user: string;
    stream?: boolean;
  }): Promise<void> {
    for (let call = 0; call < 4; call += 1) await post(body);
    const beforeOpening = performance.now();
    await post(body);
    await Promise.all([1, 2, 3].map(() => post(body)));
    // A second after the breaker has opened, it allows one trial call.
    const trials = performance.now() - beforeOpening < 1_000 ? 0 : 1;
    const reached = await brokenCalls(body.user);
    expect(reached).toBeGreaterThanOrEqual(5);
    expect(reached).toBeLessThanOrEqual(5 + trials);
  }

  test("the breaker opens for a slot whose streams are empty", async () => {
    await expectTakenOut({ model: "test-breaker-empty", user: "breaker-empty", stream: true });
  });

  test.each([
    false,
    true,
  ])("a response that is empty from every slot is 502, neither billed nor stored (stream: %s)", async (stream) => {
    await expectBooks();
    const before = (await readWalletRow(stack, account)).balance;
    const session_id = randomUUID();
    expectEnvelope(
      await post({ stream, session_id, ...simulate("no_choices") }),
      502,
      "upstream_rejected",
    );
    await expectBooks();
    expect((await readWalletRow(stack, account)).balance).toBe(before);
    const stored = await send(`${stack.url}/v1/conversations/${session_id}`, { key: account.key });
    expectEnvelope(stored, 404, "conversation_not_found");
  });

  test("unreachable slots return 503, a slot that responded with a failure returns 502", async () => {
    expect(await post({ model: "test-dead" })).toMatchObject({
      status: 503,
      body: { error: { code: "no_provider_available", type: "api_error" } },
    });
    expect(await post({ model: "test-failing" })).toMatchObject({
      status: 502,
      body: { error: { code: "upstream_rejected", type: "api_error" } },
    });
  });

  test("a slot that limits requests is not called again, and alone it is a 503 with its time", async () => {
    const user = "limited";
    for (let call = 0; call < 2; call += 1) {
      expect((await post({ model: "test-limited-first", user })).status).toBe(200);
    }
    expect((await calls(user)).map(({ outcome }) => outcome)).toEqual([
      "failed",
      "completed",
      "completed",
    ]);
    const response = await post({ model: "test-limited" });
    expectEnvelope(response, 503, "no_provider_available");
    expect(response.headers.get("retry-after")).toBe("1");
  });

  test("a request that is too expensive for a slot goes on to the next, and does not count", async () => {
    const user = "dear";
    for (let call = 0; call < 6; call += 1) {
      expect((await post({ model: "test-dear-first", user })).status).toBe(200);
    }
    expect(await calls(user)).toHaveLength(12);
    const response = await post({ model: "test-dear" });
    expectEnvelope(response, 502, "upstream_rejected");
    expect(response.headers.get("x-should-retry")).toBe("false");
  });

  test("a provider's refusal of the request is not retried on another slot, and its message is passed on", async () => {
    const user = "refused";
    const response = await post({
      model: "test-failover-dead",
      user,
      ...simulate("status=400&message=temperature%20is%20too%20hot"),
    });
    expect(response.status).toBe(502);
    expect(response.text).toContain("temperature is too hot");
    expect(await calls(user)).toHaveLength(1);
  });

  test.each([
    false,
    true,
  ])("a 4xx of a provider is marked as not to be retried, unless it is temporary (stream: %s)", async (stream) => {
    const retryAfter = async (fault: object) => {
      const response = await post({ stream, ...fault });
      return [response.status, response.headers.get("x-should-retry")];
    };
    for (const status of [400, 403, 404, 422]) {
      expect(await retryAfter(simulate(`status=${status}`))).toEqual([502, "false"]);
    }
    for (const fault of ["status=408", "status=409", "status=500"]) {
      expect(await retryAfter({ model: "test-temporary", ...simulate(fault) })).toEqual([
        502,
        null,
      ]);
    }
    expect(await retryAfter({ model: "test-dead" })).toEqual([503, null]);
  });

  test("the breaker opens for a slot that keeps failing, and closes after a trial call", async () => {
    const user = "breaker";
    await expectTakenOut({ model: "test-breaker", user });
    const before = await brokenCalls(user);
    await eventually(
      async () => {
        const again = await post({ model: "test-breaker", user, ...simulate("status=200") }).catch(
          () => undefined,
        );
        expect(again?.status).toBeDefined();
        expect(await brokenCalls(user)).toBeGreaterThan(before);
      },
      { timeout: 10_000, interval: 200 },
    );
  });

  test.each([
    "test-cut",
    "test-endless",
  ])("%s: a broken stream ends with the error, without [DONE], and is not billed", async (model) => {
    const before = (await readWalletRow(stack, account)).balance;
    const response = await post({ model, stream: true });
    expect(response.status).toBe(200);
    const events = eventsOf(response.text);
    expect(events.at(-1)).toMatchObject({ error: { code: "upstream_rejected" } });
    expect(events).not.toContain("[DONE]");
    expect(events.length).toBeGreaterThan(2);
    await expectBooks();
    expect((await readWalletRow(stack, account)).balance).toBe(before);
  });

  test.each([
    ["in small chunks", "trickle_ms=1&unicode"],
    ["with CRLF line ends", "crlf"],
    ["in one write", "one_write"],
    ["with comments between", "comment"],
    ["without [DONE]", "no_done"],
    ["with usage on every chunk", "usage_each"],
  ])("a stream %s is normalized", async (_, command) => {
    const response = await post({ stream: true, ...simulate(command) });
    const events = eventsOf(response.text);
    expect(events.at(-1)).toBe("[DONE]");
    const chunks = events.slice(0, -1) as { choices: unknown[]; usage?: object }[];
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { cost: expect.any(Number) } });
    expect(chunks.filter((chunk) => chunk.usage !== undefined)).toHaveLength(1);
    expect(response.text).not.toContain("\uFFFD");
  });

  test("a response without an id gets one from its request", async () => {
    const response = await post(simulate("no_head"));
    const id = requestIdOf(response)?.replace("req_", "chatcmpl-");
    expect(response.body).toMatchObject({ id, object: "chat.completion", created: recently() });
  });

  test("the chunks of a stream without ids share one id", async () => {
    const response = await post({ stream: true, ...simulate("no_head") });
    const id = requestIdOf(response)?.replace("req_", "chatcmpl-");
    const chunks = eventsOf(response.text).slice(0, -1) as { created: number }[];
    expect(chunks.at(-1)).toMatchObject({ choices: [] });
    const created = chunks[0]?.created;
    expect(created).toEqual(recently());
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ id, object: "chat.completion.chunk", created });
    }
  });

  test("a complete chat without usage is counted by the tokenizer", async () => {
    for (const stream of [false, true]) {
      const response = await post({ model: "test-no-usage", stream });
      expect(response.status).toBe(200);
      const reported = stream ? eventsOf(response.text).at(-2) : response.body;
      // Two of the text, and four of the message around it.
      const prompt_tokens = 6;
      expect(reported).toMatchObject({ usage: { prompt_tokens } });
      await eventually(async () => {
        const { entries } = await readWalletRow(stack, account);
        const requestId = response.headers.get("x-request-id");
        const entry = entries.find((one) => one.requestId === requestId);
        expect(entry?.basis).toBe("tokenized");
        expect(entry?.amount).toBeLessThan(0n);
      });
    }
  });

  test("a stream of several choices ends when every choice has finished", async () => {
    for (const n of [1, 3]) {
      const response = await post({ stream: true, n });
      expect(eventsOf(response.text).at(-1)).toBe("[DONE]");
    }
  });

  test("the provider's own cost never appears, the gateway's has six decimals", async () => {
    const response = await post({ model: "test-provider-cost" });
    expect(response.text).toMatch(/"cost":0\.\d{6}\}/);
    expect(response.text).not.toContain("cost_details");
    expect(Object.keys(response.body as object)).not.toContain("cost");
  });

  test.each([
    false,
    true,
  ])("the provider's own session_id never appears (stream: %s)", async (stream) => {
    const plain = await post({ stream, ...simulate("own_session") });
    expect(plain.status).toBe(200);
    expect(plain.text).not.toContain("session_id");
    const session_id = randomUUID();
    const turn = await post({ stream, session_id, ...simulate("own_session") });
    expect(turn.text).toContain(`"session_id":"${session_id}"`);
    expect(turn.text).not.toContain('"session_id":"session-');
  });

  test("a model that costs nothing is charged nothing", async () => {
    const response = await post({ model: "test-free" });
    expect(response.text).toContain('"cost":0.000000}');
  });

  test("the provider's key reaches only the provider", async () => {
    const response = await post({ model: "test-keyed", user: "keyed" });
    expect(await calls("keyed")).toMatchObject([{ authorized: true }]);
    expect(response.text + JSON.stringify([...response.headers])).not.toContain("provider-secret");
  });

  test.each([
    false,
    true,
  ])("the request id is sent to the provider (stream: %s)", async (stream) => {
    const user = `named-${stream}`;
    const response = await post({ user, stream });
    const [call] = stack.simulator.calls.list({ user });
    expect(call?.requestId).toBe(requestIdOf(response));
  });

  test("a changed catalog is loaded without a restart", async () => {
    const catalog = JSON.parse(testCatalog(stack.simulator.url)) as { models: { alias: string }[] };
    const [first] = catalog.models;
    catalog.models.push({ ...first, alias: "test-added" });
    await writeFile(stack.catalogFile, JSON.stringify(catalog));
    await eventually(
      async () => {
        expect((await post({ model: "test-added" })).status).toBe(200);
        expect((await send(`${stack.url}/v1/models`)).text).toContain("test-added");
      },
      { timeout: 10_000, interval: 200 },
    );
  });

  test("reported costs add up to what the wallet paid", async () => {
    const own = await stack.newAccount(1);
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        send(`${stack.url}/v1/chat/completions`, {
          key: own.key,
          body: chatBody({ messages: [{ role: "user", content: "x".repeat(index * 37) || "y" }] }),
        }),
      ),
    );
    const reported = responses.reduce(
      (sum, { body }) => sum + nanoUsd((body as { usage: { cost: number } }).usage.cost),
      0n,
    );
    await eventually(async () => {
      expect((await readWalletRow(stack, own)).balance).toBe(1_000_000_000n - reported);
    });
  });
});

/** Matches a Unix time in seconds within a minute of now. */
function recently(): number {
  return expect.closeTo(Date.now() / 1_000, -2);
}
