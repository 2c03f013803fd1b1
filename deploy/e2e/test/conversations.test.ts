import { randomUUID } from "node:crypto";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { conversationClient } from "../src/conversation-client.ts";
import { eventually } from "../src/eventually.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { chatBody, eventsOf, expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

type Body = Record<string, unknown>;

const { stack, account } = await sharedStack({ creditUsd: 20 });
const replica = await stack.replica();
const chat = conversationClient(stack, account);

describe("conversations", () => {
  test("the client sends one turn and the provider receives all of them, JSON and streamed", async () => {
    const id = randomUUID();
    const first = await chat.say(id.toUpperCase(), "one");
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ session_id: id.toUpperCase() });
    const response = (first.body as { choices: { message: Body }[] }).choices[0]?.message ?? {};
    const second = await chat.say(id, "two", { stream: true }, { url: replica.url });
    const events = eventsOf(second.text) as Body[];
    expect(events.at(-1)).toBe("[DONE]");
    expect(events.slice(0, -1).every(({ session_id }) => session_id === id)).toBe(true);
    expect(chat.lastMessages()).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: response.content },
      { role: "user", content: "two" },
    ]);
    const streamed = events
      .slice(0, -1)
      .map((event) => (event.choices as { delta: { content?: string } }[])[0]?.delta.content ?? "")
      .join("");
    await chat.say(id, "three");
    expect(chat.lastMessages()).toHaveLength(5);
    expect(chat.lastMessages()[3]).toEqual({ role: "assistant", content: streamed });
    const stored = await chat.detail(id);
    expect(stored.turns.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(stored.turns[1]).toMatchObject({
      messages: [{ role: "user", content: "two" }],
      response: { role: "assistant", content: streamed },
      model: "test-small",
      request_id: second.headers.get("x-request-id"),
      usage: { cost: expect.any(Number) },
    });
  });

  test("a call without a session_id creates no conversation, and its response has none", async () => {
    const own = await stack.newAccount(1);
    const response = await send(`${stack.url}/v1/chat/completions`, {
      key: own.key,
      body: chatBody(),
    });
    expect(Object.keys(response.body as object)).not.toContain("session_id");
    const list = await chat.call("GET", "", { key: own.key });
    expect(list.body).toEqual({ object: "list", data: [], total: 0, limit: 25, offset: 0 });
  });

  test("the openai client takes ten turns, streamed and not, with tools", async () => {
    const client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: account.key, maxRetries: 0 });
    const id = randomUUID();
    const tools = [
      { type: "function" as const, function: { name: "weather", parameters: { type: "object" } } },
    ];
    for (let turn = 0; turn < 10; turn += 1) {
      const body = {
        model: "test-small",
        messages: [{ role: "user" as const, content: `turn ${turn}` }],
        session_id: id,
        ...(turn % 3 === 2 ? { tools, tool_choice: "required" as const } : {}),
      };
      if (turn % 2 === 0) {
        await client.chat.completions.create(body);
      } else {
        const stream = await client.chat.completions.create({ ...body, stream: true });
        for await (const _ of stream);
      }
    }
    expect(chat.lastMessages()).toHaveLength(19);
    const { turns } = await chat.detail(id);
    expect(turns).toHaveLength(10);
    for (const index of [2, 5, 8]) {
      expect(turns[index]?.response).toMatchObject({
        tool_calls: [{ id: expect.any(String), type: "function", function: { name: "weather" } }],
      });
    }
  });

  test.each([
    ["complete", false],
    ["streamed", true],
  ])("a %s turn keeps a custom tool's call, and the next turn has its result", async (_, stream) => {
    const id = randomUUID();
    const tools = [{ type: "custom", custom: { name: "shell" } }];
    const first = await chat.say(id, "List files", { tools, stream });
    expect(first.status).toBe(200);
    const { turns } = await chat.detail(id);
    const call = {
      id: expect.any(String),
      type: "custom",
      custom: { name: "shell", input: expect.stringContaining("free text") },
    };
    expect(turns[0]?.response).toEqual({ role: "assistant", content: null, tool_calls: [call] });
    const calls = turns[0]?.response.tool_calls as { id: string }[] | undefined;
    const result = { role: "tool", tool_call_id: calls?.[0]?.id, content: "a.txt" };
    const second = await chat.say(id, "", { tools, stream, messages: [result] });
    expect(second.status).toBe(200);
    expect(second.text).toContain("a.txt");
    expect(chat.lastMessages()).toEqual([
      { role: "user", content: "List files" },
      { role: "assistant", content: null, tool_calls: [call] },
      result,
    ]);
  });

  test("what it cost is itemized from the ledger, to the micro-USD", async () => {
    const id = randomUUID();
    const responses = [await chat.say(id, "a"), await chat.say(id, "b".repeat(300))];
    await eventually(async () => {
      const { cost_summary } = await chat.detail(id);
      expect(cost_summary.items.map(({ request_id }) => request_id)).toEqual(
        responses.map(({ headers }) => headers.get("x-request-id")),
      );
      const reported = responses.map(
        ({ body }) => (body as { usage: { cost: number } }).usage.cost,
      );
      expect(cost_summary.items.map(({ cost }) => cost)).toEqual(reported);
      for (const { cost, lines } of cost_summary.items) {
        expect(lines.map(({ dimension }) => dimension)).toEqual(["input", "output"]);
        const sum = lines.reduce((total, line) => total + Math.round(line.cost * 1e9), 0);
        expect(BigInt(sum)).toBe(nanoUsd(cost));
      }
      expect(nanoUsd(cost_summary.total_cost)).toBe(
        reported.reduce((sum, one) => sum + nanoUsd(one), 0n),
      );
    });
    const { text } = await chat.call("GET", `/${id}`);
    expect(text).toMatch(/"total_cost":0\.\d{6},/);
    expect(text).toContain('"has_more":false');
  });

  test("the same id under another key is another conversation, and no key reads another key's", async () => {
    const id = randomUUID();
    const sibling = await stack.operator.createKey({ account: account.accountId });
    const other = { key: sibling.key };
    await chat.say(id, "mine");
    expectEnvelope(await chat.call("GET", `/${id}`, other), 404, "conversation_not_found");
    expectEnvelope(await chat.call("DELETE", `/${id}`, other), 404, "conversation_not_found");
    await chat.say(id, "theirs", {}, other);
    expect(chat.lastMessages()).toEqual([{ role: "user", content: "theirs" }]);
    await chat.call("DELETE", "", other);
    expect((await chat.detail(id)).turn_count).toBe(1);
  });

  test("lists the most recently active first, and pagination never fails", async () => {
    const own = { key: (await stack.newAccount(1)).key };
    const ids = Array.from({ length: 30 }, () => randomUUID());
    for (const id of ids) expect((await chat.say(id, "x", {}, own)).status).toBe(200);
    await chat.say(ids[3] as string, "again", {}, own);
    const order = [ids[3], ...ids.filter((_, index) => index !== 3).reverse()];
    const list = async (query: string) =>
      (await chat.call("GET", query, own)).body as {
        data: { id: string }[];
        [name: string]: unknown;
      };
    const page = async (query: string) => (await list(query)).data.map(({ id }) => id);
    expect(await list("")).toMatchObject({ object: "list", total: 30, limit: 25, offset: 0 });
    expect(await page("")).toEqual(order.slice(0, 25));
    expect(await page("?limit=5&offset=3")).toEqual(order.slice(3, 8));
    for (const [query, limit, offset] of [
      ["?limit=0", 25, 0],
      ["?limit=-5", 25, 0],
      ["?limit=1000", 100, 0],
      ["?limit=abc&offset=xyz", 25, 0],
      ["?limit=1.5&offset=-3", 25, 0],
      ["?limit=99999999999999999999&offset=40", 100, 40],
      ["?limit=-99999999999999999999", 25, 0],
      ["?offset=99999999999999999999", 25, Number.MAX_SAFE_INTEGER],
    ] as const) {
      expect(await list(query)).toMatchObject({ total: 30, limit, offset });
    }
    expect(await page("?offset=99999999999999999999")).toEqual([]);
    expect((await list("")).data[0]).toEqual({
      id: ids[3],
      object: "conversation",
      created_at: expect.any(Number),
      last_active_at: expect.any(Number),
      model: "test-small",
      turn_count: 2,
    });
    expect((await chat.call("DELETE", "", own)).status).toBe(204);
    expect(await list("")).toMatchObject({ total: 0, data: [] });
    expect((await chat.call("DELETE", "", own)).status).toBe(204);
    expect((await chat.call("DELETE", `/${ids[0]}`, own)).status).toBe(204);
  });

  test("twenty concurrent turns of one conversation are stored one after another", async () => {
    const id = randomUUID();
    const said = Array.from({ length: 20 }, (_, index) =>
      chat.say(id, `turn ${index}`, {}, { url: index % 2 === 0 ? stack.url : replica.url }),
    );
    const stored = (await Promise.all(said)).filter(({ status }) => status === 200).length;
    expect(stored).toBeGreaterThan(5);
    const { turns } = await chat.detail(id);
    expect(turns.map(({ index }) => index)).toEqual(turns.map((_, index) => index));
    expect(turns).toHaveLength(stored);
  });

  test("a retry under an idempotency key adds no second turn", async () => {
    const id = randomUUID();
    const body = chatBody({ session_id: id });
    const options = { key: account.key, body, headers: { "idempotency-key": id } };
    const first = await send(`${stack.url}/v1/chat/completions`, options);
    const again = await send(`${stack.url}/v1/chat/completions`, options);
    expect(again.text).toBe(first.text);
    expect((await chat.detail(id)).turn_count).toBe(1);
  });
});
