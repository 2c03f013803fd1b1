import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { testKinds } from "../test/kinds.ts";
import { type CatalogEntry, catalogWith, parse, smallChat, valid } from "../test/small-catalog.ts";
import { servableModel } from "./model.ts";
import { routeTypes } from "./route-types.ts";

test("a model has the values of its entry, and defaults for missing fields", () => {
  const { models, limits } = parse(stringify(valid));
  expect([...models.keys()]).toEqual(["small"]);
  const pricing = {
    unitType: "tokens",
    input: { picoUsd: 100_000_000_000n, per: 1_000_000n },
    cached_input: { picoUsd: 50_000_000_000n, per: 1_000_000n },
    output: { picoUsd: 400_000_000_000n, per: 1_000_000n },
  };
  expect(models.get("small")).toEqual({
    alias: "small",
    routeType: "chat",
    visibility: "public",
    created: 0,
    ownedBy: "tollgate",
    contextTokens: 32_768,
    maxOutputTokens: 4_096,
    vision: false,
    passes: new Set(),
    allows: new Set(),
    takesTokens: false,
    imageTokens: 5_000,
    unitType: "tokens",
    pricing,
    chain: [
      {
        id: "near/small-1",
        provider: {
          name: "near",
          baseUrl: "http://127.0.0.1:9/v1",
          kind: testKinds.open,
          baseUrlEnv: undefined,
          apiKeyEnv: "NEAR_KEY",
          timeoutMs: 120_000,
          isDefaultTimeout: true,
        },
        upstreamModel: "small-1",
        path: "/chat/completions",
        measuresUnreported: false,
        pricing,
      },
    ],
  });
  expect(limits).toEqual({ requestsPerMinute: 10_000, tokensPerMinute: 10_000_000 });
});

test("usage that is not reported is measured where the model says so, or by the kind", () => {
  const slots = (type: string, unreported: string) =>
    parse(`
providers:
  near: { kind: open, base_url: "http://127.0.0.1:9/v1" }
models:
  - alias: a
    route_type: ${type}
    ${type === "ocr" ? "lane: print" : "language: auto"}
    ${unreported}
    pricing: { per: 1, price: "0.1" }
    chain: [{ provider: near, model: m }]
`).models.get("a")?.chain;
  for (const type of ["ocr", "transcriptions"]) {
    expect(slots(type, "")).toMatchObject([{ measuresUnreported: false }]);
    expect(slots(type, "unreported: measured")).toMatchObject([{ measuresUnreported: true }]);
    expect(() => slots(type, "unreported: guessed")).toThrow("unreported");
  }
});

test("the hold of an OCR job is kept for a day, or for the hours of the catalog", () => {
  const heldMs = (more: CatalogEntry) => {
    const pricing = { per: 1, price: "0.1" };
    const reader = {
      alias: "reader",
      route_type: "ocr",
      lane: "print",
      pricing,
      chain: smallChat.chain,
    };
    const catalog = parse(stringify({ ...valid, models: [{ ...reader, ...more }] }));
    return catalog.models.get("reader")?.ocr?.jobHoldMs;
  };
  expect(heldMs({})).toBe(24 * 3_600_000);
  expect(heldMs({ job_hold_hours: 0.5 })).toBe(1_800_000);
  expect(() => heldMs({ job_hold_hours: 0 })).toThrow("job_hold_hours");
});

test("a slot may have its own price, path and name of the output limit", () => {
  const own = { per: 1_000, input: "1", output: "2" };
  const { models } = parse(
    catalogWith({
      model: {
        chain: [
          {
            provider: "near",
            model: "a",
            pricing: own,
            path: "/chat",
            max_tokens_field: "max_tokens",
          },
          { provider: "near", model: "b" },
        ],
      },
    }),
  );
  const [first, second] = models.get("small")?.chain ?? [];
  expect(first).toMatchObject({ path: "/chat", maxTokensField: "max_tokens" });
  expect(first?.pricing.output).toEqual({ picoUsd: 2_000_000_000_000n, per: 1_000n });
  expect(second?.pricing).toBe(models.get("small")?.pricing);
});

test("each dimension, tool and tier may have a price", () => {
  const million = (usd: bigint) => ({ picoUsd: usd * 10n ** 12n, per: 1_000_000n });
  const pricing = {
    input: "1",
    cached_input: "2",
    cache_write: "3",
    cache_write_1h: "4",
    audio_input: "5",
    output: "6",
    reasoning: "7",
    audio_output: "8",
    "tool:web_search": "0.01",
    "tool:x": "0",
    tiers: [
      { above_input_tokens: 128_000, input: "10", output: "11" },
      { above_input_tokens: 200_000, input: "12", cache_write_1h: "13", output: "14" },
    ],
  };
  const { models } = parse(catalogWith({ model: { pricing } }));
  expect(models.get("small")?.pricing).toEqual({
    unitType: "tokens",
    input: million(1n),
    cached_input: million(2n),
    cache_write: million(3n),
    cache_write_1h: million(4n),
    audio_input: million(5n),
    output: million(6n),
    reasoning: million(7n),
    audio_output: million(8n),
    // The price of a call does not depend on `per`.
    tools: new Map([
      ["web_search", { picoUsd: 10n ** 10n, per: 1n }],
      ["x", { picoUsd: 0n, per: 1n }],
    ]),
    tiers: [
      { aboveInputTokens: 128_000n, input: million(10n), output: million(11n) },
      {
        aboveInputTokens: 200_000n,
        input: million(12n),
        cache_write_1h: million(13n),
        output: million(14n),
      },
    ],
  });
});

test("a slot may be in a chain twice, to be attempted again", () => {
  const { models } = parse(
    catalogWith({ model: { chain: [...smallChat.chain, ...smallChat.chain] } }),
  );
  expect(models.get("small")?.chain).toHaveLength(2);
});

test("the demo catalog is valid and has models of every route, one of them with two slots", async () => {
  const url = new URL("../../../../deploy/simulator/demo-catalog.yaml", import.meta.url);
  const catalog = parse(await readFile(url, "utf8"));
  const models = [...catalog.models.values()];
  expect(new Set(models.map(({ routeType }) => routeType))).toEqual(new Set(routeTypes));
  expect(models.filter(({ chain }) => chain.length === 2)).toHaveLength(1);
  for (const { alias, routeType } of models) {
    expect(servableModel(catalog, alias, routeType, [])).toBeDefined();
  }
});

test("two models may have a slot in common", () => {
  const { models } = parse(
    stringify({ ...valid, models: [smallChat, { ...smallChat, alias: "b" }] }),
  );
  expect(models.get("b")?.chain[0]?.id).toBe(models.get("small")?.chain[0]?.id);
});

test("an entities alias has no taxonomies, and a taxonomy alias without a list supports all", () => {
  const entry = { route_type: "classification", pricing: { per: 1, price: "1" } };
  const models = (fields: object) =>
    JSON.stringify({
      providers: { acme: { base_url: "https://acme.test" } },
      models: [{ alias: "c", ...entry, chain: [{ provider: "acme", model: "m" }], ...fields }],
    });
  const open = parse(models({ lane: "taxonomy" })).models.get("c");
  expect(open).toMatchObject({
    unitType: "pages",
    classification: { lane: "taxonomy", taxonomies: ["2.1", "2.2", "3.1"] },
  });
  const entities = parse(models({ lane: "entities" })).models.get("c");
  expect(entities).toMatchObject({ unitType: "searches", classification: { lane: "entities" } });
  expect(() => parse(models({ lane: "entities", taxonomies: ["2.1"] }))).toThrow(
    "models[0] (c).taxonomies: must not be set in the entities lane",
  );
});

test("only a public model is served, and by its own route only", () => {
  for (const visibility of ["internal", "unlisted"]) {
    const hidden = parse(catalogWith({ model: { visibility } }));
    expect(servableModel(hidden, "small", "chat", [])).toBeUndefined();
  }
  const shown = parse(catalogWith({ model: { visibility: "public" } }));
  expect(servableModel(shown, "small", "chat", [])?.alias).toBe("small");
  expect(servableModel(shown, "small", "embeddings", [])).toBeUndefined();
});

test("JSON is read as the same YAML is, and a name that stands twice is refused", () => {
  const json = JSON.stringify(valid);
  expect(parse(json)).toEqual(parse(stringify(valid)));
  expect(() => parse(json.replace("{", '{"models":[],'))).toThrow(
    /^the file is not YAML: Map keys/,
  );
});
