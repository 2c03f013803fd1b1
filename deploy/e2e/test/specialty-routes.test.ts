import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf, expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { expectEnvelope, send } from "../src/request.ts";
import { specialtyRoutes } from "../src/specialty-routes.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

type Body = Record<string, unknown>;

const cases = specialtyRoutes.map((route) => [`${route.path} ${route.alias}`, route] as const);
const lead = specialtyRoutes.filter(({ alias }) => alias !== "test-entities");
const leadCases = lead.map((route) => [route.path, route] as const);

describe("the JSON routes beside chat", () => {
  let stack: Stack;
  let account: Account;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(50);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  function ask(path: string, body: unknown, key: string = account.key) {
    return send(`${stack.url}${path}`, { key, body });
  }

  function calls(): number {
    return stack.simulator.calls.list().length;
  }

  describe.each(cases)("%s", (_, { path, body, fields, foreign }) => {
    const good = Object.entries(fields).flatMap(([name, values]) =>
      (values.good ?? []).map((value) => [name, JSON.stringify(value), value] as const),
    );
    const bad = Object.entries(fields).flatMap(([name, values]) =>
      (values.bad ?? []).map(
        ([value, param = name, code = "invalid_param"]) =>
          [name, JSON.stringify(value) ?? "missing", value, param, code] as const,
      ),
    );

    test.each(good)("takes %s = %s", async (name, _text, value) => {
      const answer = await ask(path, { ...body, [name]: value });
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
      expect(answer.headers.get("content-type")).toContain("application/json");
    });

    test.each(bad)("refuses %s = %s", async (name, _text, value, param, code) => {
      const before = calls();
      expectEnvelope(await ask(path, { ...body, [name]: value }), 400, code, param);
      expect(calls()).toBe(before);
    });

    test.each(foreign)("refuses %s, which it does not know", async (name) => {
      const text = JSON.stringify(body).replace(/\}$/, `,${JSON.stringify(name)}:null}`);
      expectEnvelope(await ask(path, text), 400, "unknown_param", name);
    });
  });

  describe.each(leadCases)("%s answers", (path, { alias, body }) => {
    const of = (suffix: string, more: Body = {}) => ({
      ...body,
      model: `${alias}${suffix}`,
      ...more,
    });

    test("400 for what is no JSON object, too large, or has a query", async () => {
      for (const text of ["", "{", "[]", "null", `{"a":"${"x".repeat(33 * 1024 * 1024)}"}`]) {
        expectEnvelope(await ask(path, text), 400, "invalid_json");
      }
      expectEnvelope(await ask(`${path}?x=1`, body), 400, "unknown_param", "x");
    });

    test("401, 403 and 402 in this order, before the body is looked at", async () => {
      expectEnvelope(await ask(path, "{", "sk-tollgate-nobody"), 401, "invalid_api_key");
      expectEnvelope(await send(`${stack.url}${path}`, { body }), 401, "invalid_api_key");
      const poor = await stack.newAccount(0);
      expectEnvelope(await ask(path, "{", poor.key), 402, "credit_balance_exhausted");
      await stack.operator.revokeKey({ keyId: poor.keyId });
      await eventually(async () =>
        expectEnvelope(await ask(path, "{", poor.key), 403, "key_revoked"),
      );
    });

    test("404 for an alias that is unknown, internal or of another route, all alike", async () => {
      const texts = new Set<string>();
      for (const model of ["nobody", `${alias}-internal`, "test-small"]) {
        const answer = await ask(path, { ...body, model });
        expectEnvelope(answer, 404, "model_not_found", "model");
        texts.add(answer.text.replaceAll(model, "X"));
      }
      expect(texts.size).toBe(1);
    });

    test("405 for another method", async () => {
      expectEnvelope(await send(`${stack.url}${path}`), 405, "method_not_allowed");
    });

    test("502 when the provider fails, refuses, talks nonsense or reports an error in a 200, with a failure row at no cost", async () => {
      for (const suffix of ["-failing", "-refused", "-garbage", "-erring"]) {
        const before = (await readBooks(stack, account)).balance;
        const answer = await ask(path, of(suffix));
        expectEnvelope(answer, 502, "upstream_rejected");
        if (suffix === "-refused") expect(answer.text).toContain("no thanks");
        const entry = await entryOf(stack, account, answer.headers.get("x-request-id"));
        expect(entry).toMatchObject({
          kind: "failure",
          amountNanoUsd: 0n,
          alias: `${alias}${suffix}`,
        });
        await expectBooksInOrder(stack);
        expect((await readBooks(stack, account)).balance).toBe(before);
      }
    });

    test("an error in a 200 is passed over for the next slot's answer, which alone is billed", async () => {
      const answer = await ask(path, of("-erring-first"));
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      expect(stack.simulator.calls.list().at(-1)?.model).toBe("good");
      const entry = await entryOf(stack, account, answer.headers.get("x-request-id"));
      expect(entry).toMatchObject({ kind: "usage", quantity: expect.any(BigInt) });
    });

    test("503 when no provider can be reached", async () => {
      expectEnvelope(await ask(path, of("-dead")), 503, "no_provider_available");
    });

    test("500 that says nothing when the gateway itself is broken", async () => {
      const own = await stack.newAccount(1);
      const database = new pg.Client({ connectionString: stack.databaseUrl });
      await database.connect();
      await database.query("ALTER TABLE billing.api_key RENAME TO away");
      const answer = await ask(path, body, own.key);
      await database.query("ALTER TABLE billing.away RENAME TO api_key");
      await database.end();
      expectEnvelope(answer, 500, "internal_error");
      expect(answer.text).not.toContain("api_key");
    });

    test("a client that leaves is not billed", async () => {
      const leaving = new AbortController();
      const before = stack.simulator.calls.list().at(-1)?.seq ?? 0;
      const request = fetch(`${stack.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${account.key}` },
        body: JSON.stringify(of("-slow")),
        signal: leaving.signal,
      }).catch(() => undefined);
      const call = () => stack.simulator.calls.list({ since: before })[0];
      await eventually(() => expect(call()).toBeDefined());
      leaving.abort();
      await request;
      await eventually(() => expect(call()?.outcome).toBe("client_disconnected"));
      await expectBooksInOrder(stack);
    });
  });

  test.each([
    ["/v1/embeddings", { model: "test-embed", input: ["a", "b"] }, "embed"],
    ["/v1/rerank", { model: "test-rerank-bare", query: "a", documents: ["a"] }, "rerank?bare"],
    ["/v1/classification", { model: "test-taxonomy", input: "Hello" }, "taxonomy"],
    [
      "/v1/classification",
      { model: "test-entities", input: "Ada", labels: ["person"] },
      "entities",
    ],
  ])("%s hands the provider's answer on byte for byte", async (path, body, model) => {
    const { labels, ...members } = body as Body;
    const upstream = { ...members, model, ...(labels === undefined ? {} : { types: labels }) };
    const direct = await send(`${stack.simulator.url}${path}`, { body: upstream });
    const answer = await ask(path, body);
    expect(answer.text).toBe(direct.text);
    expect(answer.text).not.toBe(JSON.stringify(answer.body));
    expect(stack.simulator.calls.list().at(-1)?.body).toEqual(upstream);
  });

  test.each<[string, string, Body, object]>([
    [
      "tokens as the provider counts them",
      "/v1/embeddings",
      { model: "test-embed", input: ["x".repeat(400)] },
      { unitType: "tokens", quantity: 100n, basis: "provider", amountNanoUsd: -2_000n },
    ],
    [
      "tokens by the provider's total alone",
      "/v1/embeddings",
      { model: "test-embed-total", input: "x" },
      { unitType: "tokens", quantity: 70n, basis: "provider", amountNanoUsd: -2_000n },
    ],
    [
      "tokens by characters where nothing is reported",
      "/v1/embeddings",
      { model: "test-embed-no-usage", input: ["😀".repeat(5), "abcd"] },
      { unitType: "tokens", quantity: 3n, basis: "approx4", amountNanoUsd: -1_000n },
    ],
    [
      "one search, whatever the corpus",
      "/v1/rerank",
      { model: "test-rerank", query: "q", documents: ["a", "b", "c"] },
      {
        unitType: "searches",
        quantity: 1n,
        basis: "request",
        corpusSize: 3n,
        amountNanoUsd: -2_000_000n,
      },
    ],
    [
      "pages as the card reports them",
      "/v1/classification",
      { model: "test-taxonomy-pages", input: ["x".repeat(20_000)] },
      { unitType: "pages", quantity: 7n, basis: "provider", amountNanoUsd: -3_500_000n },
    ],
    [
      "inputs where the card reports no pages",
      "/v1/classification",
      { model: "test-taxonomy", input: ["x", "y".repeat(9_000)] },
      { unitType: "pages", quantity: 2n, basis: "inputs", amountNanoUsd: -1_000_000n },
    ],
    [
      "inputs as searches on the entity lane",
      "/v1/classification",
      { model: "test-entities", input: ["a", "b", "c"], types: ["t"] },
      { unitType: "searches", quantity: 3n, basis: "inputs", amountNanoUsd: -6_000_000n },
    ],
    [
      "images that came, fewer than asked",
      "/v1/images/generations",
      { model: "test-image-few", prompt: "x", n: 5 },
      { unitType: "images", quantity: 2n, basis: "returned", amountNanoUsd: -80_000_000n },
    ],
  ])("meters %s", async (_, path, body, expected) => {
    const answer = await ask(path, body);
    expect(answer.status).toBe(200);
    const entry = await entryOf(stack, account, answer.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "usage", uncollectedNanoUsd: 0n, ...expected });
  });

  test.each([
    ["/v1/embeddings", { model: "test-embed-listless", input: "a" }],
    ["/v1/rerank", { model: "test-rerank-listless", query: "a", documents: ["a"] }],
  ])("%s: an answer without its list is a failure, not billed", async (path, body) => {
    const answer = await ask(path, body);
    expectEnvelope(answer, 502, "upstream_rejected");
    const entry = await entryOf(stack, account, answer.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "failure", amountNanoUsd: 0n });
  });

  test("images carry our usage alone, their URLs unchanged", async () => {
    const answer = await ask("/v1/images/generations", {
      model: "test-image",
      prompt: "cat",
      n: 3,
    });
    const { seq } = stack.simulator.calls.list().at(-1) ?? { seq: 0 };
    expect(answer.body).toEqual({
      created: 1_700_000_000 + seq,
      data: [0, 1, 2].map((index) => ({
        url: `https://images.invalid/${seq}/${index}-1024x1024.png?sig=a%2Fb&x=1`,
        revised_prompt: "cat",
      })),
      usage: { images: 3, cost: 0.12 },
    });
    expect(answer.text).toContain('"usage":{"images":3,"cost":0.120000}');
  });

  test.each([
    [{}, 1, 0.04],
    [{ n: 3 }, 3, 0.12],
  ])("images past those of %j are neither handed on nor billed", async (more, images, cost) => {
    const answer = await ask("/v1/images/generations", {
      model: "test-image-many",
      prompt: "cat",
      ...more,
    });
    expect(answer.body).toMatchObject({ data: { length: images }, usage: { images, cost } });
    const entry = await entryOf(stack, account, answer.headers.get("x-request-id"));
    expect(entry).toMatchObject({
      quantity: BigInt(images),
      amountNanoUsd: -40_000_000n * BigInt(images),
      uncollectedNanoUsd: 0n,
    });
  });

  test("a provider without an image is a failure, not an empty answer", async () => {
    const answer = await ask("/v1/images/generations", { model: "test-image-none", prompt: "cat" });
    expectEnvelope(answer, 502, "upstream_rejected");
  });

  test("a wallet that affords two images is asked for two, and told what it pays", async () => {
    const poor = await stack.newAccount(0.09);
    const generous = { model: "test-image-many", prompt: "cat", n: 10 };
    const answer = await ask("/v1/images/generations", generous, poor.key);
    expect(stack.simulator.calls.list().at(-1)?.body).toMatchObject({ n: 2 });
    expect(answer.body).toMatchObject({ data: { length: 2 }, usage: { images: 2, cost: 0.08 } });
    await expectBooksInOrder(stack);
    expect((await readBooks(stack, poor)).balance).toBe(10_000_000n);
    const body = { ...generous, model: "test-image" };
    const last = await ask("/v1/images/generations", body, poor.key);
    expect(last.body).toMatchObject({ usage: { images: 1, cost: 0.01 } });
    const entry = await entryOf(stack, poor, last.headers.get("x-request-id"));
    expect(entry).toMatchObject({ amountNanoUsd: -10_000_000n, uncollectedNanoUsd: 30_000_000n });
    expectEnvelope(
      await ask("/v1/images/generations", body, poor.key),
      402,
      "credit_balance_exhausted",
    );
  });

  test("a cost finer than a micro-USD is rounded up once, and told as it is charged", async () => {
    const answer = await ask("/v1/images/generations", {
      model: "test-image-fine",
      prompt: "x",
      n: 3,
    });
    expect(answer.text).toContain('"cost":0.000001');
    const entry = await entryOf(stack, account, answer.headers.get("x-request-id"));
    const { usage } = answer.body as { usage: { cost: number } };
    expect(entry?.amountNanoUsd).toBe(-nanoUsd(usage.cost));
  });

  test("a classification's taxonomy is checked against its alias", async () => {
    const body = { input: "x", taxonomy: "3.1" };
    expect((await ask("/v1/classification", { model: "test-taxonomy-3", ...body })).status).toBe(
      200,
    );
    const answer = await ask("/v1/classification", { model: "test-taxonomy", ...body });
    expectEnvelope(answer, 400, "invalid_param", "taxonomy");
    const entities = await ask("/v1/classification", { model: "test-entities", input: "x" });
    expectEnvelope(entities, 400, "invalid_param", "types");
  });

  test("the routes' models are listed with their prices", async () => {
    const { body } = await send(`${stack.url}/v1/models/test-rerank`);
    expect(body).toMatchObject({
      route_type: "rerank",
      context_tokens: null,
      pricing: { currency: "USD", unit_type: "searches", per: 1_000, price: 2 },
    });
  });
});
