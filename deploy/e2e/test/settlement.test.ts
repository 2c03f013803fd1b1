import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { chatBody, expectEnvelope, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";

const { stack } = await sharedStack();
const partner = await channelAccount(10);
const database = new pg.Client({ connectionString: stack.databaseUrl });
await database.connect();

async function channelAccount(creditUsd: number): Promise<TestAccount> {
  const account = await stack.newAccount(creditUsd);
  const created = await stack.operator.createKey({
    account: account.accountId,
    channel: "settlement",
  });
  return { ...account, keyId: created.keyId, key: created.key };
}

describe("the settlement lookup", () => {
  afterAll(() => database.end());

  function lookUp(
    requestIds: unknown,
    key: string | undefined = partner.key,
  ): Promise<HttpResponse> {
    return send(`${stack.url}/v1/hf/billing`, { key, body: { requestIds } });
  }

  async function chat(more: object = {}, headers: Record<string, string> = {}) {
    const url = `${stack.url}/v1/chat/completions`;
    const response = await send(url, { key: partner.key, body: chatBody({ ...more }), headers });
    return { response, id: requestIdOf(response) ?? "" };
  }

  /** Looks ids up until `count` of them are known: their events may be pending. */
  async function known(ids: readonly string[], count = ids.length) {
    return eventually(async () => {
      const response = await lookUp(ids);
      const { requests } = response.body as { requests: object[] | null };
      expect(requests).toHaveLength(count);
      return response;
    });
  }

  test("returns the charge of each request once, in the order of the ids", async () => {
    const first = await chat();
    const second = await chat({ n: 3 });
    const { response } = first;
    expect(response.headers.get("inference-id")).toBe(first.id);
    const found = await known([second.id, first.id]);
    const again = await lookUp([second.id, first.id, `req_${"0".repeat(32)}`, second.id]);
    expect(again.text).toBe(found.text);
    const costs = [second, first].map((call) => {
      const { usage } = call.response.body as { usage: { cost: number } };
      return { requestId: call.id, costNanoUsd: Number(nanoUsd(usage.cost)) };
    });
    expect(found.body).toEqual({ requests: costs });
    expect(found.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("a request that failed cost nothing", async () => {
    const { response, id } = await chat({ model: "test-cut", stream: true });
    expect(response.status).toBe(200);
    expect((await known([id])).body).toEqual({ requests: [{ requestId: id, costNanoUsd: 0 }] });
  });

  test("a run that repeats another returns the cost of both", async () => {
    const key = { "idempotency-key": randomUUID() };
    const first = await chat({}, key);
    await known([first.id]);
    // The record of a process that died after the charge and before it stored the response.
    await database.query(
      `UPDATE edge.idempotency_record SET stored_at = NULL, body = NULL, lease_until = now()
       WHERE key_id = $1 AND idempotency_key = $2`,
      [partner.keyId, key["idempotency-key"]],
    );
    const second = await chat({}, key);
    expect(second.id).not.toBe(first.id);
    const { usage } = second.response.body as { usage: { cost: number } };
    const { body } = await known([second.id]);
    const costNanoUsd = Number(nanoUsd(usage.cost));
    expect(body).toEqual({ requests: [{ requestId: second.id, costNanoUsd }] });
  });

  test("unknown ids, another account's and old ones return null, never an error", async () => {
    const { id } = await chat();
    await known([id]);
    const stranger = await channelAccount(1);
    expect((await lookUp([id], stranger.key)).body).toEqual({ requests: null });
    expect((await lookUp([])).text).toBe('{"requests":null}');
    const senseless = ["", "x", "\u0000", "req_", `req_${"g".repeat(32)}`, "é".repeat(1_000)];
    expect((await lookUp(senseless)).text).toBe('{"requests":null}');
    await database.query("ALTER TABLE ledger.entry DISABLE TRIGGER USER");
    await database.query(
      `UPDATE ledger.entry SET recorded_at = recorded_at - interval '29 minutes 50 seconds'
       WHERE request_id = $1`,
      [id],
    );
    expect((await lookUp([id])).body).toMatchObject({ requests: [{ requestId: id }] });
    await database.query(
      `UPDATE ledger.entry SET recorded_at = recorded_at - interval '11 seconds'
       WHERE request_id = $1`,
      [id],
    );
    expect((await lookUp([id])).body).toEqual({ requests: null });
    // Puts the entry back into the hour in which it was charged.
    await database.query(
      `UPDATE ledger.entry SET recorded_at = recorded_at + interval '30 minutes 1 second'
       WHERE request_id = $1`,
      [id],
    );
    await database.query("ALTER TABLE ledger.entry ENABLE TRIGGER USER");
  });

  test("10,000 ids are looked up at once, one more is refused", async () => {
    const { id } = await chat();
    await known([id]);
    const ids = Array.from({ length: 9_999 }, () => `req_${randomUUID().replaceAll("-", "")}`);
    const response = await lookUp([...ids, id]);
    expect(response.body).toMatchObject({ requests: [{ requestId: id }] });
    expectEnvelope(await lookUp([...ids, id, id]), 400, "invalid_param", "requestIds");
  });

  test.each<[string, unknown, string, string | undefined]>([
    ["no JSON", "{", "invalid_json", undefined],
    ["an array", "[]", "invalid_json", undefined],
    ["nothing", "", "invalid_json", undefined],
    ["no ids", {}, "invalid_param", "requestIds"],
    ["null", { requestIds: null }, "invalid_param", "requestIds"],
    ["a string", { requestIds: "req_1" }, "invalid_param", "requestIds"],
    ["an object", { requestIds: {} }, "invalid_param", "requestIds"],
    ["a list with a number", { requestIds: ["x", 5] }, "invalid_param", "requestIds[1]"],
    ["another field", { requestIds: [], requests: [] }, "unknown_param", "requests"],
  ])("refuses %s", async (_, body, code, param) => {
    const response = await send(`${stack.url}/v1/hf/billing`, { key: partner.key, body });
    expectEnvelope(response, 400, code, param);
  });

  test("accepts only the channel's key", async () => {
    const url = `${stack.url}/v1/hf/billing`;
    const { key } = await stack.newAccount(1);
    const other = await send(url, { key, body: "{" });
    expectEnvelope(other, 403, "channel_key_required");
    expectEnvelope(await send(url, { body: "{" }), 401, "invalid_api_key");
    const revoked = await channelAccount(0);
    await stack.operator.revokeKey({ keyId: revoked.keyId });
    expectEnvelope(await send(url, { key: revoked.key, body: "{" }), 403, "key_revoked");
    const get = await send(url, { key: partner.key });
    expectEnvelope(get, 405, "method_not_allowed");
    const query = await send(`${url}?x=1`, { key: partner.key, body: { requestIds: [] } });
    expectEnvelope(query, 400, "unknown_param", "x");
  });

  test("an empty wallet may look up", async () => {
    const broke = await channelAccount(0);
    expect((await lookUp([], broke.key)).status).toBe(200);
  });

  test("without the ledger's tables it is an internal error", async () => {
    await database.query("ALTER TABLE ledger.entry RENAME TO away");
    const response = await lookUp([`req_${"0".repeat(32)}`]);
    await database.query("ALTER TABLE ledger.away RENAME TO entry");
    expectEnvelope(response, 500, "internal_error");
  });
});
