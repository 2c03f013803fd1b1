import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, describe, expect, test, vi } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { chatBody, eventsOf, expectEnvelope, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";

type Body = Record<string, unknown>;
interface Said {
  content: unknown;
  toolCalls: unknown;
  finishReason: unknown;
  usage: { cost: number };
  id: unknown;
}

const { stack, expectBooks } = await sharedStack();
const database = new pg.Client({ connectionString: stack.databaseUrl });
await database.connect();

describe("a turn whose process dies before its response is stored", () => {
  afterAll(() => database.end());

  function post(
    account: TestAccount,
    sessionId: string,
    more: Body,
    idempotencyKey: string = sessionId,
  ): Promise<HttpResponse> {
    const body = chatBody({ session_id: sessionId, ...more });
    const headers = { "idempotency-key": idempotencyKey.replace(" ", "-") };
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body, headers });
  }

  /** Leaves the record as a process that died before it stored the response. */
  async function forgetAnswer(idempotencyKey: string): Promise<void> {
    await database.query(
      `UPDATE edge.idempotency_record SET stored_at = NULL, body = NULL, lease_until = now()
       WHERE idempotency_key = $1`,
      [idempotencyKey],
    );
  }

  /** Leaves the record as a process that died before the charge: no charge has its id. */
  async function forgetCharge(sessionId: string): Promise<void> {
    const chargeId = `req_${randomUUID().replaceAll("-", "")}`;
    await database.query(
      "UPDATE edge.idempotency_record SET charge_id = $1 WHERE idempotency_key = $2",
      [chargeId, sessionId],
    );
    await database.query("UPDATE chat.turn SET charge_id = $1 WHERE conversation_id = $2", [
      chargeId,
      sessionId,
    ]);
  }

  function readWhole({ body }: HttpResponse): Said {
    const { id, usage, choices } = body as { id: unknown; usage: never; choices: Body[] };
    const { message, finish_reason } = choices[0] as { message: Body; finish_reason: unknown };
    const { content, tool_calls } = message;
    return {
      id,
      usage,
      content: content || "",
      toolCalls: tool_calls,
      finishReason: finish_reason,
    };
  }

  function readStream({ text }: HttpResponse): Said {
    const events = eventsOf(text);
    expect(events.at(-1)).toBe("[DONE]");
    const chunks = events.slice(0, -1) as { id: unknown; usage: never; choices: Body[] }[];
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const deltas = choices.map(({ delta }) => delta as Body);
    const { id, usage } = chunks.at(-1) ?? expect.unreachable("a stream has a last chunk");
    return {
      id,
      usage,
      content: deltas.map(({ content }) => content ?? "").join(""),
      toolCalls: undefined,
      finishReason: choices.map(({ finish_reason }) => finish_reason).findLast(Boolean),
    };
  }

  const tools = [{ type: "function", function: { name: "weather" } }];

  test.each<[string, Body, typeof readWhole]>([
    ["JSON", {}, readWhole],
    ["a stream", { stream: true }, readStream],
    ["tool calls", { tools, tool_choice: "required" }, readWhole],
  ])("%s: the retry returns the stored turn, which is stored once and charged once as reported", async (...row) => {
    const [, more, read] = row;
    for (const charged of [true, false]) {
      const account = await stack.newAccount(1);
      const id = randomUUID();
      const first = await post(account, id, more);
      expect(first.status).toBe(200);
      const calls = stack.simulator.calls.list().length;
      await expectBooks();
      await forgetAnswer(id);
      if (!charged) await forgetCharge(id);
      const second = await post(account, id, more);
      expect([second.status, second.headers.get("idempotency-replayed")]).toEqual([200, null]);
      expect(read(second)).toEqual(read(first));
      expect(stack.simulator.calls.list()).toHaveLength(calls);
      const url = `${stack.url}/v1/conversations/${id}`;
      const { body } = await send(url, { key: account.key });
      expect(body).toMatchObject({ turn_count: 1, turns: [{ index: 0 }] });
      await expectBooks();
      const { entries } = await readWalletRow(stack, account);
      const paid = entries.filter(({ amount }) => amount < 0n).map(({ amount }) => -amount);
      const reported = nanoUsd(read(second).usage.cost);
      expect(paid).toEqual(charged ? [reported] : [reported, reported]);
    }
  });

  const turns: [string, Body, typeof readWhole][] = [
    ["a turn", {}, readWhole],
    ["a streamed turn", { stream: true }, readStream],
    ["a response", { session_id: undefined }, readWhole],
    ["a streamed response", { session_id: undefined, stream: true }, readStream],
  ];

  test.each(
    turns.flatMap((turn) => [4_000n, 3_000n].map((wallet) => [...turn, wallet] as const)),
  )("%s that was charged is returned at its cost without needing more money", async (...row) => {
    const [, more, read, wallet] = row;
    const account = await stack.newAccount(Number(wallet) / 1e9);
    const id = randomUUID();
    const body = { ...more, ...simulate("usage=11,1") };
    const first = read(await post(account, id, body));
    expect(nanoUsd(first.usage.cost)).toBe(3_000n);
    await eventually(async () => {
      expect((await readWalletRow(stack, account)).balance).toBe(wallet - 3_000n);
    });
    await forgetAnswer(id);
    const second = await post(account, id, body);
    expect([second.status, second.headers.get("idempotency-replayed")]).toEqual([200, null]);
    // Without a conversation the provider is called again, and may respond differently.
    expect(read(second)).toMatchObject({ usage: first.usage });
    await expectBooks();
    expect((await readWalletRow(stack, account)).balance).toBe(wallet - 3_000n);
  });

  test.each(
    turns,
  )("%s whose first run failed at no charge is held for and charged", async (...row) => {
    const [, more, read] = row;
    const account = await stack.newAccount(1);
    const id = randomUUID();
    const body = { ...more, ...simulate(`usage=11,1&fail_first=1&id=${id}`) };
    expect((await post(account, id, body)).status).toBe(503);
    await eventually(async () => {
      const kinds = (await readWalletRow(stack, account)).entries.map(({ kind }) => kind);
      expect(kinds).toContain("failure");
    });
    const second = await post(account, id, body);
    expect(second.status).toBe(200);
    expect(nanoUsd(read(second).usage.cost)).toBe(3_000n);
    await expectBooks();
    const { entries, balance } = await readWalletRow(stack, account);
    expect(balance).toBe(1_000_000_000n - 3_000n);
    expect(entries).toContainEqual(expect.objectContaining({ amount: -3_000n }));
  });

  test.each(turns)("%s that a later run was charged for needs no more money", async (...row) => {
    const [, more, read] = row;
    for (const wallet of [4_000n, 3_000n]) {
      const account = await stack.newAccount(Number(wallet) / 1e9);
      const id = randomUUID();
      const user = `later-${id}`;
      const body = { ...more, user, ...simulate(`usage=11,1&fail_first=1&id=${id}`) };
      expect((await post(account, id, body)).status).toBe(503);
      await expectBooks();
      const second = read(await post(account, id, body));
      expect(nanoUsd(second.usage.cost)).toBe(3_000n);
      await expectBooks();
      await forgetAnswer(id);
      const third = await post(account, id, body);
      expect([third.status, third.headers.get("idempotency-replayed")]).toEqual([200, null]);
      expect(read(third)).toMatchObject({ usage: second.usage });
      const calls = stack.simulator.calls.list({ user }).map((call) => call.body as Body);
      const ceilings = calls.map((call) => Number(call.max_completion_tokens));
      // It is paid for, so what the wallet has left does not limit it.
      expect(ceilings.at(-1)).toBeGreaterThanOrEqual(ceilings[0] as number);
      await expectBooks();
      expect((await readWalletRow(stack, account)).balance).toBe(wallet - 3_000n);
    }
  });

  test.each([
    ["one", (id: string) => `/${id.toUpperCase()}`],
    ["all", () => ""],
  ])("the responses of deleted conversations are not replayed: %s", async (_, pathOf) => {
    const account = await stack.newAccount(1);
    const { key } = account;
    const id = randomUUID();
    const sibling = randomUUID();
    const url = `${stack.url}/v1/chat/completions`;
    const headers = { "idempotency-key": "no-conversation" };
    const other = { key, body: chatBody(), headers };
    await send(url, other);
    for (const one of [id, sibling]) {
      for (const stream of [false, true]) {
        expect((await post(account, one, { stream }, `${one} ${stream}`)).status).toBe(200);
      }
    }
    const deleted = `${stack.url}/v1/conversations${pathOf(id)}`;
    expect((await send(deleted, { key, method: "DELETE" })).status).toBe(204);
    const calls = stack.simulator.calls.list().length;
    for (const stream of [false, true]) {
      const again = await post(account, id, { stream }, `${id} ${stream}`);
      expectEnvelope(again, 404, "conversation_not_found", "session_id");
      const rest = await post(account, sibling, { stream }, `${sibling} ${stream}`);
      expect(rest.status).toBe(pathOf(id) === "" ? 404 : 200);
    }
    expect((await send(url, other)).headers.get("idempotency-replayed")).toBe("true");
    expect(stack.simulator.calls.list()).toHaveLength(calls);
    const { rows } = await database.query(
      "SELECT FROM edge.idempotency_record WHERE conversation_id = $1 AND body IS NOT NULL",
      [id],
    );
    expect(rows).toEqual([]);
  });

  test.each([
    ["JSON", {}],
    ["a stream", { stream: true }],
  ])("%s: a turn that creates its conversation during a deletion of all is replayed", async (...row) => {
    const [, more] = row;
    const account = await stack.newAccount(1);
    const { key } = account;
    const id = randomUUID();
    await database.query("BEGIN");
    await database.query("LOCK TABLE chat.turn IN SHARE MODE");
    const turn = post(account, id, more);
    await vi.waitFor(
      async () => {
        const text = "SELECT FROM pg_locks WHERE relation = 'chat.turn'::regclass AND NOT granted";
        expect((await database.query(text)).rowCount).toBe(1);
      },
      { timeout: 20_000 },
    );
    const url = `${stack.url}/v1/conversations`;
    expect((await send(url, { key, method: "DELETE" })).status).toBe(204);
    await database.query("COMMIT");
    const first = await turn;
    expect(first.status).toBe(200);
    expect((await send(`${url}/${id}`, { key })).status).toBe(200);
    const again = await post(account, id, more);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.text).toBe(first.text);
    expect(again.headers.get("x-request-id")).toBe(first.headers.get("x-request-id"));
  });

  test("a response that was not stored before its conversation was deleted is not replayed", async () => {
    for (const more of [{}, { stream: true }]) {
      const account = await stack.newAccount(1);
      const { key } = account;
      const id = randomUUID();
      await database.query(
        `ALTER TABLE edge.idempotency_record
         ADD CONSTRAINT refused CHECK (stored_at IS NULL) NOT VALID`,
      );
      expect((await post(account, id, more)).status).toBe(200);
      const url = `${stack.url}/v1/conversations/${id}`;
      expect((await send(url, { key, method: "DELETE" })).status).toBe(204);
      await database.query("ALTER TABLE edge.idempotency_record DROP CONSTRAINT refused");
      const again = await post(account, id, more);
      expectEnvelope(again, 404, "conversation_not_found", "session_id");
      await expectBooks();
      const { entries } = await readWalletRow(stack, account);
      expect(entries.filter(({ amount }) => amount < 0n)).toHaveLength(1);
    }
  });

  test("the next turn includes it once", async () => {
    const account = await stack.newAccount(1);
    const id = randomUUID();
    await post(account, id, {});
    await forgetAnswer(id);
    await post(account, id, {});
    const url = `${stack.url}/v1/chat/completions`;
    await send(url, { key: account.key, body: chatBody({ session_id: id }) });
    const sent = stack.simulator.calls.list().at(-1)?.body as { messages: Body[] } | undefined;
    const roles = sent?.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user"]);
  });
});
