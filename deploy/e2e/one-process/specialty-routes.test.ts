import pg from "pg";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf, readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { specialtyRoutes } from "../src/specialty-routes.ts";

type Body = Record<string, unknown>;

const lead = specialtyRoutes.filter(({ alias }) => alias !== "test-entities");
const leadCases = lead.map((route) => [route.path, route] as const);

const { stack, account, expectBooks } = await sharedStack({ creditUsd: 50 });

describe("the JSON routes other than chat", () => {
  function post(path: string, body: unknown, key: string = account.key) {
    return send(`${stack.url}${path}`, { key, body });
  }

  describe.each(leadCases)("%s returns", (path, { alias, body }) => {
    const of = (suffix: string, more: Body = {}) => ({
      ...body,
      model: `${alias}${suffix}`,
      ...more,
    });

    test("400 for a body that is no JSON object or too large, and for a query", async () => {
      for (const text of ["", "{", "[]", "null", `{"a":"${"x".repeat(33 * 1024 * 1024)}"}`]) {
        expectEnvelope(await post(path, text), 400, "invalid_json");
      }
      expectEnvelope(await post(`${path}?x=1`, body), 400, "unknown_param", "x");
    });

    test("401, 403 and 402 in this order, before the body is read", async () => {
      expectEnvelope(await post(path, "{", "sk-tollgate-nobody"), 401, "invalid_api_key");
      expectEnvelope(await send(`${stack.url}${path}`, { body }), 401, "invalid_api_key");
      const poor = await stack.newAccount(0);
      expectEnvelope(await post(path, "{", poor.key), 402, "credit_balance_exhausted");
      await stack.operator.revokeKey({ keyId: poor.keyId });
      await eventually(async () =>
        expectEnvelope(await post(path, "{", poor.key), 403, "key_revoked"),
      );
    });

    test("the same 404 for an alias that is unknown, internal or of another route", async () => {
      const texts = new Set<string>();
      for (const model of ["nobody", `${alias}-internal`, "test-small"]) {
        const response = await post(path, { ...body, model });
        expectEnvelope(response, 404, "model_not_found", "model");
        texts.add(response.text.replaceAll(model, "X"));
      }
      expect(texts.size).toBe(1);
    });

    test("405 for another method", async () => {
      expectEnvelope(await send(`${stack.url}${path}`), 405, "method_not_allowed");
    });

    test("502 when the provider fails, refuses, sends garbage or reports an error in a 200, with a failure entry at no cost; only a refusal is not to be retried", async () => {
      for (const suffix of ["-failing", "-refused", "-garbage", "-erring"]) {
        const before = (await readWalletRow(stack, account)).balance;
        const response = await post(path, of(suffix));
        expectEnvelope(response, 502, "upstream_rejected");
        if (suffix === "-refused") expect(response.text).toContain("no thanks");
        const retry = response.headers.get("x-should-retry");
        expect([suffix, retry]).toEqual([suffix, suffix === "-refused" ? "false" : null]);
        const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
        expect(entry).toMatchObject({
          kind: "failure",
          amountNanoUsd: 0n,
          alias: `${alias}${suffix}`,
        });
        await expectBooks();
        expect((await readWalletRow(stack, account)).balance).toBe(before);
      }
    });

    test("after an error in a 200 the next slot is called, and only its response is billed", async () => {
      const response = await post(path, of("-erring-first"));
      expect([response.status, response.text]).toEqual([200, expect.any(String)]);
      expect(stack.simulator.calls.list().at(-1)?.model).toBe("good");
      const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
      expect(entry).toMatchObject({ kind: "usage", quantity: expect.any(BigInt) });
    });

    test("503 when no provider can be reached", async () => {
      expectEnvelope(await post(path, of("-dead")), 503, "no_provider_available");
    });

    test("500 without details when the gateway itself fails", async () => {
      const own = await stack.newAccount(1);
      const database = new pg.Client({ connectionString: stack.databaseUrl });
      await database.connect();
      await database.query("ALTER TABLE billing.api_key RENAME TO away");
      const response = await post(path, body, own.key);
      await database.query("ALTER TABLE billing.away RENAME TO api_key");
      await database.end();
      expectEnvelope(response, 500, "internal_error");
      expect(response.text).not.toContain("api_key");
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
  ])("%s returns the provider's response byte for byte", async (path, body, model) => {
    const { labels, ...members } = body as Body;
    const upstream = { ...members, model, ...(labels === undefined ? {} : { types: labels }) };
    const direct = await send(`${stack.simulator.url}${path}`, { body: upstream });
    const response = await post(path, body);
    expect(response.text).toBe(direct.text);
    expect(response.text).not.toBe(JSON.stringify(response.body));
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
      "tokens by characters when the provider reports nothing",
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
      "pages as the provider reports them",
      "/v1/classification",
      { model: "test-taxonomy-pages", input: ["x".repeat(20_000)] },
      { unitType: "pages", quantity: 7n, basis: "provider", amountNanoUsd: -3_500_000n },
    ],
    [
      "pages of 2,000 tokens, rounded up for each input, when the provider reports none",
      "/v1/classification",
      { model: "test-taxonomy", input: ["", "x", "y".repeat(2_000), "z".repeat(2_001)] },
      { unitType: "pages", quantity: 5n, basis: "input_pages", amountNanoUsd: -2_500_000n },
    ],
    [
      "token ids of an embedding as the provider counts them",
      "/v1/embeddings",
      { model: "test-embed-tokens", input: [[1, 2, 3], [50_000]] },
      { unitType: "tokens", quantity: 4n, basis: "provider", amountNanoUsd: -1_000n },
    ],
    [
      "token ids when the provider reports no usage",
      "/v1/embeddings",
      { model: "test-embed-tokens-no-usage", input: Array(70).fill(9) },
      { unitType: "tokens", quantity: 70n, basis: "input_tokens", amountNanoUsd: -2_000n },
    ],
    [
      "inputs as searches on the entity lane",
      "/v1/classification",
      { model: "test-entities", input: ["a", "b", "c"], types: ["t"] },
      { unitType: "searches", quantity: 3n, basis: "inputs", amountNanoUsd: -6_000_000n },
    ],
    [
      "the returned images, fewer than requested",
      "/v1/images/generations",
      { model: "test-image-few", prompt: "x", n: 5 },
      { unitType: "images", quantity: 2n, basis: "returned", amountNanoUsd: -80_000_000n },
    ],
  ])("meters %s", async (_, path, body, expected) => {
    const response = await post(path, body);
    expect(response.status).toBe(200);
    const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "usage", uncollectedNanoUsd: 0n, ...expected });
  });

  test.each([
    ["/v1/embeddings", { model: "test-embed-listless", input: "a" }],
    ["/v1/rerank", { model: "test-rerank-listless", query: "a", documents: ["a"] }],
  ])("%s: a response without its list is a failure at no charge", async (path, body) => {
    const response = await post(path, body);
    expectEnvelope(response, 502, "upstream_rejected");
    const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
    expect(entry).toMatchObject({ kind: "failure", amountNanoUsd: 0n });
  });

  test("images carry only the gateway's usage, their URLs unchanged", async () => {
    const response = await post("/v1/images/generations", {
      model: "test-image",
      prompt: "cat",
      n: 3,
    });
    const { seq } = stack.simulator.calls.list().at(-1) ?? { seq: 0 };
    expect(response.body).toEqual({
      created: 1_700_000_000 + seq,
      data: [0, 1, 2].map((index) => ({
        url: `https://images.invalid/${seq}/${index}-1024x1024.png?sig=a%2Fb&x=1`,
        revised_prompt: "cat",
      })),
      usage: { images: 3, cost: 0.12 },
    });
    expect(response.text).toContain('"usage":{"images":3,"cost":0.120000}');
  });

  test.each([
    [{}, 1, 0.04],
    [{ n: 3 }, 3, 0.12],
  ])("images past those of %j are neither handed on nor billed", async (more, images, cost) => {
    const response = await post("/v1/images/generations", {
      model: "test-image-many",
      prompt: "cat",
      ...more,
    });
    expect(response.body).toMatchObject({ data: { length: images }, usage: { images, cost } });
    const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
    expect(entry).toMatchObject({
      quantity: BigInt(images),
      amountNanoUsd: -40_000_000n * BigInt(images),
      uncollectedNanoUsd: 0n,
    });
  });

  test.each([
    ["test-image", "2049x16", "size must be at most 2048x2048."],
    ["test-image", "16x2049", "size must be at most 2048x2048."],
    ["test-image-sizes", "1024x1024", "size must be one of 512x512, 4096x2160."],
    ["test-image-priced", "1024x1024", "size must be one of 512x512, 4096x4096."],
  ])("of %s no image of %s is generated", async (model, size, message) => {
    const response = await post("/v1/images/generations", { model, prompt: "cat", size });
    expectEnvelope(response, 400, "invalid_param", "size");
    expect(response.text).toContain(message);
  });

  test.each([
    ["test-image", "2048x2048", 0.08],
    ["test-image-sizes", "4096x2160", 0.08],
    ["test-image-priced", undefined, 0.08],
    ["test-image-priced", "512x512", 0.04],
    ["test-image-priced", "4096x4096", 0.6],
  ])("two images of %s in %s cost %d USD", async (model, size, cost) => {
    const body = { model, prompt: "cat", n: 2, size };
    const response = await post("/v1/images/generations", body);
    expect(response.body).toMatchObject({ usage: { images: 2, cost } });
    const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
    const amountNanoUsd = -BigInt(Math.round(cost * 1e9));
    expect(entry).toMatchObject({ amountNanoUsd, uncollectedNanoUsd: 0n });
  });

  test("a response without an image is a failure", async () => {
    const response = await post("/v1/images/generations", {
      model: "test-image-none",
      prompt: "cat",
    });
    expectEnvelope(response, 502, "upstream_rejected");
  });

  test("a wallet that affords two images limits the request to two, and is charged as reported", async () => {
    const poor = await stack.newAccount(0.09);
    const generous = { model: "test-image-many", prompt: "cat", n: 10 };
    const response = await post("/v1/images/generations", generous, poor.key);
    expect(stack.simulator.calls.list().at(-1)?.body).toMatchObject({ n: 2 });
    expect(response.body).toMatchObject({ data: { length: 2 }, usage: { images: 2, cost: 0.08 } });
    await expectBooks();
    expect((await readWalletRow(stack, poor)).balance).toBe(10_000_000n);
    const body = { ...generous, model: "test-image" };
    const last = await post("/v1/images/generations", body, poor.key);
    expect(last.body).toMatchObject({ usage: { images: 1, cost: 0.01 } });
    const entry = await entryOf(stack, poor, last.headers.get("x-request-id"));
    expect(entry).toMatchObject({ amountNanoUsd: -10_000_000n, uncollectedNanoUsd: 30_000_000n });
    expectEnvelope(
      await post("/v1/images/generations", body, poor.key),
      402,
      "credit_balance_exhausted",
    );
  });

  test("a cost below a micro-USD is rounded up once, and charged as reported", async () => {
    const response = await post("/v1/images/generations", {
      model: "test-image-fine",
      prompt: "x",
      n: 3,
    });
    expect(response.text).toContain('"cost":0.000001');
    const entry = await entryOf(stack, account, response.headers.get("x-request-id"));
    const { usage } = response.body as { usage: { cost: number } };
    expect(entry?.amountNanoUsd).toBe(-nanoUsd(usage.cost));
  });

  test.each([
    ["an id that is no integer", [1, 2.5], "input[1]"],
    ["a negative id", [[1], [-1]], "input[1][0]"],
    ["an empty array of ids", [[1], []], "input[1]"],
    ["texts among ids", [1, "a"], "input[1]"],
    ["no input", [], "input"],
    ["a number", 5, "input"],
    ["an id that is too large", [2 ** 31], "input[0]"],
  ])("%s is refused by a model that takes token ids", async (_, input, param) => {
    const response = await post("/v1/embeddings", { model: "test-embed-tokens", input });
    expectEnvelope(response, 400, "invalid_param", param);
  });

  test("null in a field of the other lane of classification is absent", async () => {
    const bodies = [
      { model: "test-taxonomy", input: "x", types: null, labels: null },
      { model: "test-entities", input: "x", types: ["t"], taxonomy: null, both_versions: null },
    ];
    for (const body of bodies) {
      const response = await fetch(`${stack.url}/v1/classification`, {
        method: "POST",
        headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
    }
  });

  test("the taxonomy of a classification is checked against its alias", async () => {
    const body = { input: "x", taxonomy: "3.1" };
    expect((await post("/v1/classification", { model: "test-taxonomy-3", ...body })).status).toBe(
      200,
    );
    const response = await post("/v1/classification", { model: "test-taxonomy", ...body });
    expectEnvelope(response, 400, "invalid_param", "taxonomy");
    const entities = await post("/v1/classification", { model: "test-entities", input: "x" });
    expectEnvelope(entities, 400, "invalid_param", "types");
  });

  test("the models of these routes are listed with their prices", async () => {
    const { body } = await send(`${stack.url}/v1/models/test-rerank`);
    expect(body).toMatchObject({
      route_type: "rerank",
      context_tokens: null,
      pricing: { currency: "USD", unit_type: "searches", per: 1_000, price: 2 },
    });
  });
});
