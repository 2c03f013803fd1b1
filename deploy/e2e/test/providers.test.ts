import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testCatalog } from "../src/catalog.ts";
import { eventually } from "../src/eventually.ts";
import { expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import {
  type Answer,
  chatBody,
  eventsOf,
  expectEnvelope,
  requestIdOf,
  send,
  simulate,
} from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

describe("providers", () => {
  let stack: Stack;
  let account: Account;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(5);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  function ask(body: Record<string, unknown>): Promise<Answer> {
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body: chatBody(body) });
  }

  async function calls(user: string): Promise<{ model: string; outcome: string }[]> {
    const answer = await send(`${stack.simulator.url}/_simulator/calls?user=${user}`);
    return answer.body as { model: string; outcome: string }[];
  }

  test.each([
    "test-failover",
    "test-failover-dead",
    "test-failover-empty",
  ])("%s: the next slot serves, JSON and streamed", async (model) => {
    for (const stream of [false, true]) {
      const answer = await ask({ model, stream });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(`"model":"${model}"`);
    }
  });

  test.each([
    ["test-failover-done", "[DONE] alone"],
    ["test-failover-usage", "its usage alone"],
  ])("%s: a stream of %s leaves the answer to the next slot", async (model, _) => {
    const user = model;
    const answer = await ask({ model, user, stream: true });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("You said");
    expect(eventsOf(answer.text).at(-1)).toBe("[DONE]");
    expect(await calls(user)).toHaveLength(2);
  });

  test("an answer without a choice leaves it to the next slot", async () => {
    const user = "choiceless";
    const answer = await ask({ model: "test-failover-usage", user });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("You said");
    expect(await calls(user)).toHaveLength(2);
  });

  test("a slot whose streams are empty is taken out", async () => {
    const user = "breaker-empty";
    const body = { model: "test-breaker-empty", user, stream: true };
    for (let call = 0; call < 5; call += 1) await ask(body);
    // At once, within the second after which the slot is tried again.
    await Promise.all([1, 2, 3].map(() => ask(body)));
    const broken = (await calls(user)).filter(({ model }) => model.startsWith("broken"));
    expect(broken).toHaveLength(5);
  });

  test.each([
    false,
    true,
  ])("an answer that is empty everywhere is 502, neither billed nor stored (stream: %s)", async (stream) => {
    await expectBooksInOrder(stack);
    const before = (await readBooks(stack, account)).balance;
    const session_id = randomUUID();
    expectEnvelope(
      await ask({ stream, session_id, ...simulate("no_choices") }),
      502,
      "upstream_rejected",
    );
    await expectBooksInOrder(stack);
    expect((await readBooks(stack, account)).balance).toBe(before);
    const stored = await send(`${stack.url}/v1/conversations/${session_id}`, { key: account.key });
    expectEnvelope(stored, 404, "conversation_not_found");
  });

  test("no slot within reach is 503, a slot that answered with a failure is 502", async () => {
    expect(await ask({ model: "test-dead" })).toMatchObject({
      status: 503,
      body: { error: { code: "no_provider_available", type: "api_error" } },
    });
    for (const model of ["test-failing", "test-limited"]) {
      expect(await ask({ model })).toMatchObject({
        status: 502,
        body: { error: { code: "upstream_rejected", type: "api_error" } },
      });
    }
  });

  test("a refusal of the request itself is not tried elsewhere, and its words are told", async () => {
    const user = "refused";
    const answer = await ask({
      model: "test-failover-dead",
      user,
      ...simulate("status=400&message=temperature%20is%20too%20hot"),
    });
    expect(answer.status).toBe(502);
    expect(answer.text).toContain("temperature is too hot");
    expect(await calls(user)).toHaveLength(1);
  });

  test("a slot that keeps failing is taken out and comes back by a trial call", async () => {
    const user = "breaker";
    for (let call = 0; call < 5; call += 1) await ask({ model: "test-breaker", user });
    await Promise.all([1, 2, 3].map(() => ask({ model: "test-breaker", user })));
    const broken = (await calls(user)).filter(({ model }) => model.startsWith("broken"));
    expect(broken).toHaveLength(5);
    await eventually(
      async () => {
        const again = await ask({ model: "test-breaker", user, ...simulate("status=200") }).catch(
          () => undefined,
        );
        expect(again?.status).toBeDefined();
        const tried = (await calls(user)).filter(({ model }) => model.startsWith("broken"));
        expect(tried.length).toBeGreaterThan(5);
      },
      { timeout: 10_000, interval: 200 },
    );
  });

  test.each([
    "test-cut",
    "test-endless",
  ])("%s: a broken stream ends with the error, no [DONE], and is not billed", async (model) => {
    const before = (await readBooks(stack, account)).balance;
    const answer = await ask({ model, stream: true });
    expect(answer.status).toBe(200);
    const events = eventsOf(answer.text);
    expect(events.at(-1)).toMatchObject({ error: { code: "upstream_rejected" } });
    expect(events).not.toContain("[DONE]");
    expect(events.length).toBeGreaterThan(2);
    await expectBooksInOrder(stack);
    expect((await readBooks(stack, account)).balance).toBe(before);
  });

  test.each([
    ["in small pieces", "trickle_ms=1&unicode"],
    ["with CRLF line ends", "crlf"],
    ["in one write", "one_write"],
    ["with comments between", "comment"],
    ["without [DONE]", "no_done"],
    ["with usage on every chunk", "usage_each"],
  ])("a stream %s arrives as any other", async (_, command) => {
    const answer = await ask({ stream: true, ...simulate(command) });
    const events = eventsOf(answer.text);
    expect(events.at(-1)).toBe("[DONE]");
    const chunks = events.slice(0, -1) as { choices: unknown[]; usage?: object }[];
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { cost: expect.any(Number) } });
    expect(chunks.filter((chunk) => chunk.usage !== undefined)).toHaveLength(1);
    expect(answer.text).not.toContain("\uFFFD");
  });

  test("an answer that its provider does not name is named after its request", async () => {
    const answer = await ask(simulate("no_head"));
    const id = requestIdOf(answer)?.replace("req_", "chatcmpl-");
    expect(answer.body).toMatchObject({ id, object: "chat.completion", created: recently() });
  });

  test("the chunks of a stream that its provider does not name are named alike", async () => {
    const answer = await ask({ stream: true, ...simulate("no_head") });
    const id = requestIdOf(answer)?.replace("req_", "chatcmpl-");
    const chunks = eventsOf(answer.text).slice(0, -1) as { created: number }[];
    expect(chunks.at(-1)).toMatchObject({ choices: [] });
    const created = chunks[0]?.created;
    expect(created).toEqual(recently());
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ id, object: "chat.completion.chunk", created });
    }
  });

  test("chunks come as they are made, not at the end", async () => {
    const response = await fetch(`${stack.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}` },
      body: JSON.stringify(chatBody({ stream: true, ...simulate("chunks=5&gap_ms=300") })),
    });
    const startedAt = performance.now();
    const arrivals: number[] = [];
    for await (const _ of response.body ?? []) arrivals.push(performance.now() - startedAt);
    const first = arrivals[0] ?? 0;
    const last = arrivals.at(-1) ?? 0;
    expect(last - first).toBeGreaterThan(800);
  });

  test("a provider that reports no usage is metered by characters", async () => {
    for (const stream of [false, true]) {
      const answer = await ask({ model: "test-no-usage", stream });
      expect(answer.status).toBe(200);
      const told = stream ? eventsOf(answer.text).at(-2) : answer.body;
      const prompt_tokens = Math.ceil("Hello there".length / 4);
      expect(told).toMatchObject({ usage: { prompt_tokens } });
      await eventually(async () => {
        const { entries } = await readBooks(stack, account);
        const requestId = answer.headers.get("x-request-id");
        const entry = entries.find((one) => one.requestId === requestId);
        expect(entry?.basis).toBe("approx4");
        expect(entry?.amount).toBeLessThan(0n);
      });
    }
  });

  test("a stream of several choices ends when all that began have finished", async () => {
    for (const n of [1, 3]) {
      const answer = await ask({ stream: true, n });
      expect(eventsOf(answer.text).at(-1)).toBe("[DONE]");
    }
  });

  test("the provider's own cost never appears, ours has six decimals", async () => {
    const answer = await ask({ model: "test-provider-cost" });
    expect(answer.text).toMatch(/"cost":0\.\d{6}\}/);
    expect(answer.text).not.toContain("cost_details");
    expect(Object.keys(answer.body as object)).not.toContain("cost");
  });

  test.each([
    false,
    true,
  ])("the provider's own session_id never appears (stream: %s)", async (stream) => {
    const plain = await ask({ stream, ...simulate("own_session") });
    expect(plain.status).toBe(200);
    expect(plain.text).not.toContain("session_id");
    const session_id = randomUUID();
    const turn = await ask({ stream, session_id, ...simulate("own_session") });
    expect(turn.text).toContain(`"session_id":"${session_id}"`);
    expect(turn.text).not.toContain('"session_id":"session-');
  });

  test("a model that costs nothing is served from an empty wallet's account that has some", async () => {
    const answer = await ask({ model: "test-free" });
    expect(answer.text).toContain('"cost":0.000000}');
  });

  test("the provider's key reaches the provider and nobody else", async () => {
    const answer = await ask({ model: "test-keyed", user: "keyed" });
    expect(await calls("keyed")).toMatchObject([{ authorized: true }]);
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain("provider-secret");
  });

  test.each([false, true])("a provider is told the request's id (stream: %s)", async (stream) => {
    const user = `named-${stream}`;
    const answer = await ask({ user, stream });
    const [call] = stack.simulator.calls.list({ user });
    expect(call?.requestId).toBe(requestIdOf(answer));
  });

  test("the catalog is read again when it changes, without a restart", async () => {
    const catalog = JSON.parse(testCatalog(stack.simulator.url)) as { models: { alias: string }[] };
    const [first] = catalog.models;
    catalog.models.push({ ...first, alias: "test-added" });
    await writeFile(stack.catalogFile, JSON.stringify(catalog));
    await eventually(
      async () => {
        expect((await ask({ model: "test-added" })).status).toBe(200);
        expect((await send(`${stack.url}/v1/models`)).text).toContain("test-added");
      },
      { timeout: 10_000, interval: 200 },
    );
  });

  test("costs add up to what the wallet lost", async () => {
    const own = await stack.newAccount(1);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        send(`${stack.url}/v1/chat/completions`, {
          key: own.key,
          body: chatBody({ messages: [{ role: "user", content: "x".repeat(index * 37) || "y" }] }),
        }),
      ),
    );
    const told = answers.reduce(
      (sum, { body }) => sum + nanoUsd((body as { usage: { cost: number } }).usage.cost),
      0n,
    );
    await eventually(async () => {
      expect((await readBooks(stack, own)).balance).toBe(1_000_000_000n - told);
    });
  });
});

/** Within a minute of now, in seconds. */
function recently(): number {
  return expect.closeTo(Date.now() / 1_000, -2);
}
