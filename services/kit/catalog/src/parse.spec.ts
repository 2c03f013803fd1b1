import { readFile } from "node:fs/promises";
import { StartError } from "@tollgate/core/errors";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { testKinds } from "../test/kinds.ts";
import { CatalogError } from "./catalog-problems.ts";
import { type Catalog, secretNamesOf, servableModel } from "./model.ts";
import { parseCatalog } from "./parse.ts";
import { routeTypes } from "./route-types.ts";

type Entry = Record<string, unknown>;

const chat = {
  alias: "small",
  route_type: "chat",
  context_tokens: 32_768,
  image_tokens: 5_000,
  max_output_tokens: 4_096,
  pricing: { input: "0.10", cached_input: "0.05", output: "0.40" },
  chain: [{ provider: "near", model: "small-1" }],
};

const valid = {
  providers: { near: { base_url: "http://127.0.0.1:9/v1/", api_key_env: "NEAR_KEY" } },
  models: [chat],
};

const parse = (text: string) => parseCatalog(text, testKinds);

/** Returns the valid catalog with changes to its provider and its model. */
function changed({ provider = {}, model = {} }: { provider?: Entry; model?: Entry }): string {
  return stringify({
    providers: { near: { ...valid.providers.near, ...provider } },
    models: [{ ...chat, ...model }],
  });
}

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
  const heldMs = (more: Entry) => {
    const pricing = { per: 1, price: "0.1" };
    const reader = {
      alias: "reader",
      route_type: "ocr",
      lane: "print",
      pricing,
      chain: chat.chain,
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
    changed({
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
  const { models } = parse(changed({ model: { pricing } }));
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
  const { models } = parse(changed({ model: { chain: [...chat.chain, ...chat.chain] } }));
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
  const { models } = parse(stringify({ ...valid, models: [chat, { ...chat, alias: "b" }] }));
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
    const hidden = parse(changed({ model: { visibility } }));
    expect(servableModel(hidden, "small", "chat", [])).toBeUndefined();
  }
  const shown = parse(changed({ model: { visibility: "public" } }));
  expect(servableModel(shown, "small", "chat", [])?.alias).toBe("small");
  expect(servableModel(shown, "small", "embeddings", [])).toBeUndefined();
});

test("a chat model names the further members that it takes", () => {
  const catalog = parse(changed({ model: { passes: ["verbosity", "promptCacheKey"] } }));
  expect(catalog.models.get("small")?.passes).toEqual(new Set(["verbosity", "promptCacheKey"]));
  for (const [name, problem] of [
    ["store", "is a member that Tollgate defines: leave it out"],
    ["stream", "is a member that Tollgate defines: leave it out"],
    ["a b", "must be the name of a member of a chat request"],
  ] as const) {
    expect(() => parse(changed({ model: { passes: ["verbosity", name] } }))).toThrow(
      `models[0] (small).passes[1]: ${problem}`,
    );
  }
});

test("a chat model allows what costs more than tokens, and has a price for the provider's tools", () => {
  const pricing = { input: "1", output: "1", "tool:web_search": "0.01" };
  const allows = ["priority", "web_search", "beta:a-2026-01-01", "member:verbosity"];
  const catalog = parse(changed({ model: { pricing, allows } }));
  expect(catalog.models.get("small")?.allows).toEqual(new Set(allows));
  for (const [name, problem] of [
    ["mcp", 'must not be mcp, since near/small-1 has no price "tool:mcp"'],
    ["everything", "must be priority, web_search, "],
    ["member:", "must be priority, web_search, "],
  ] as const) {
    expect(() => parse(changed({ model: { pricing, allows: ["web_search", name] } }))).toThrow(
      `models[0] (small).allows[1]: ${problem}`,
    );
  }
  const slot = { provider: "near", model: "x", pricing: { input: "1", output: "1" } };
  expect(() => parse(changed({ model: { pricing, allows, chain: [slot] } }))).toThrow(
    'models[0] (small).allows[1]: must not be web_search, since near/x has no price "tool:web_search"',
  );
});

test.each<[string, string, string]>([
  [
    "an unquoted price",
    changed({ model: { pricing: { input: 0.1, output: "0.40" } } }),
    'models[0] (small).pricing.input: must be a price in quotes, for instance "0.15"',
  ],
  [
    "a price with thirteen decimals",
    changed({ model: { pricing: { input: "0.1234567890123", output: "1" } } }),
    "models[0] (small).pricing.input: must be a decimal in USD of at least 0, with at most 12 decimals",
  ],
  [
    "a price per 7",
    changed({ model: { pricing: { ...chat.pricing, per: 7 } } }),
    "models[0] (small).pricing.per: must be 1, 1000 or 1000000",
  ],
  [
    "an unknown provider",
    changed({ model: { chain: [...chat.chain, { provider: "far", model: "x" }] } }),
    'models[0] (small).chain[1].provider: must be the name of a provider, and "far" is none',
  ],
  [
    "a slot in a chain twice, with two paths",
    changed({
      model: {
        chain: [{ ...chat.chain[0], path: "/a" }, { provider: "near", model: "b" }, ...chat.chain],
      },
    }),
    "models[0] (small).chain[2]: has the id near/small-1 of chain[0], but another path: name its provider",
  ],
  [
    "an alias twice",
    stringify({ ...valid, models: [chat, { ...chat, alias: "other" }, chat] }),
    "models[2] (small).alias: small is used twice",
  ],
  [
    "base_url and base_url_env at once",
    changed({ provider: { base_url_env: "NEAR_URL" } }),
    "providers.near: must have either base_url or base_url_env",
  ],
  [
    "neither base_url nor base_url_env",
    changed({ provider: { base_url: undefined } }),
    "providers.near: must have either base_url or base_url_env",
  ],
  [
    "an ftp base_url",
    changed({ provider: { base_url: "ftp://example.test/v1" } }),
    "providers.near.base_url: must be an http or https URL",
  ],
  [
    "an alias that is not valid",
    changed({ model: { alias: " x" } }),
    "models[0] ( x).alias: must be 1 to 128 letters, digits and . _ : / -",
  ],
  [
    "an unknown route_type",
    changed({ model: { route_type: "telepathy" } }),
    'models[0] (small).route_type: must be one of "chat", "embeddings", "speech"',
  ],
])("%s is refused, and the error names its path", (_, text, message) => {
  expect(() => parse(text)).toThrow(StartError);
  expect(() => parse(text)).toThrow(message);
});

test.each<[string, string, RegExp]>([
  [
    "an unknown key of a model",
    changed({ model: { colour: "red" } }),
    /^models\[0\] \(small\)\.colour: is not a field/,
  ],
  [
    "an unknown key of a provider",
    changed({ provider: { key: "x" } }),
    /^providers\.near\.key: is not a field/,
  ],
  [
    "an unknown key of a slot",
    changed({ model: { chain: [{ ...chat.chain[0], colour: "red" }] } }),
    /^models\[0\] \(small\)\.chain\[0\]\.colour: is not a field/,
  ],
  [
    "an unknown key of the file",
    stringify({ ...valid, extra: 1 }),
    /^extra: is not a field of the catalog$/,
  ],
  [
    "an empty chain",
    changed({ model: { chain: [] } }),
    /^models\[0\] \(small\)\.chain: must have at least 1 item$/,
  ],
  ["a file without models", stringify({ providers: {} }), /^models: is required$/],
  ["an empty file", "", /^the file: must be an object, and is empty$/],
])("%s is refused, and the error names its path", (_, text, message) => {
  expect(() => parse(text)).toThrow(StartError);
  expect(() => parse(text)).toThrow(message);
});

describe("all errors of a text are named, the first of which is the message", () => {
  function problemsOf(text: string): readonly string[] {
    try {
      parse(text);
    } catch (error) {
      if (error instanceof CatalogError) return [error.message, ...error.problems];
    }
    return [];
  }

  test("those of fields, in all models and providers", () => {
    const models = [
      { ...chat, colour: "red", size: 1 },
      { ...chat, alias: "other", pricing: { input: "a lot", output: "0.40" } },
    ];
    const near = { ...valid.providers.near, base_url: "ftp://example.test/v1" };
    const [message, ...problems] = problemsOf(stringify({ providers: { near }, models }));
    expect(problems).toEqual([
      "providers.near.base_url: must be an http or https URL",
      "models[0] (small).colour: is not a field of the catalog",
      "models[0] (small).size: is not a field of the catalog",
      expect.stringMatching(/^models\[1\] \(other\)\.pricing\.input: must be/),
    ]);
    expect(message).toBe(problems[0]);
  });

  test("those of models and plans, where all fields are valid", () => {
    const chain = [{ provider: "none", model: "m" }];
    const models = [chat, { ...chat, chain }, { ...chat, alias: "third", chain }];
    expect(problemsOf(stringify({ ...valid, models })).slice(1)).toEqual([
      "models[1] (small).alias: small is used twice",
      expect.stringMatching(/^models\[2\] \(third\)\.chain\[0\]\.provider: must be the name/),
    ]);
    const prices = { input: "1", output: "1" };
    const plans = { gold: { models: { gone: prices } }, silver: { models: { lost: prices } } };
    expect(problemsOf(stringify({ ...valid, plans })).slice(1)).toEqual([
      expect.stringMatching(/^plans\.gold\.models\.gone: must be the alias/),
      expect.stringMatching(/^plans\.silver\.models\.lost: must be the alias/),
    ]);
  });
});

test("text that is not YAML is refused in one line with the position of the error", () => {
  expect(() => parse("models: [\n  {")).toThrow(StartError);
  expect(() => parse("models: [\n  {")).toThrow(/^.*at line \d+, column \d+.*$/);
});

test("a file with more than 100 aliases is refused, and one with aliases of aliases", () => {
  const aliased = (count: number) => {
    const anchors = ["x-a: &a one", "x-b: &b two"].join("\n");
    const uses = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? "*a" : "*b"));
    return `${anchors}\nx-c: [${uses.join(", ")}]\n${stringify(valid)}`;
  };
  expect(() => parse(aliased(100))).toThrow(/^x-a: is not a field/);
  expect(() => parse(aliased(101))).toThrow(StartError);
  expect(() => parse(aliased(101))).toThrow(/has 101 YAML aliases/);
  const levels = Array.from({ length: 9 }, (_, at) => {
    const uses =
      at === 0
        ? "x"
        : Array(9)
            .fill(`*l${at - 1}`)
            .join(", ");
    return `x-${at}: &l${at} [${uses}]`;
  });
  expect(() => parse(`${levels.join("\n")}\n${stringify(valid)}`)).toThrow(StartError);
});

test.each([
  "DATABASE_URL",
  "NATS_URL",
  "TOLLGATE_FLEET_SECRET",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "NODE_OPTIONS",
  "REGIONAL_SECRET",
])("%s is not a provider's key", (variable) => {
  const provider = changed({ provider: { api_key_env: variable } });
  expect(() => parse(provider)).toThrow(
    /^providers\.near\.api_key_env: must not be a variable of the gateway or of Regional/,
  );
});

test.each([
  "OPENAI_API_KEY",
  "REGIONAL_KEY",
  "NODEPING_KEY",
])("%s may be a provider's key", (variable) => {
  expect(() => parse(changed({ provider: { api_key_env: variable } }))).not.toThrow();
});

test("a provider's key may be in a stored secret, in place of a variable", () => {
  const change = { api_key_env: undefined, secret: "near-main" };
  const { providers, models } = parse(changed({ provider: change }));
  expect(providers.get("near")).toMatchObject({ secret: "near-main", apiKeyEnv: undefined });
  expect(secretNamesOf({ providers } as Catalog)).toEqual(new Set(["near-main"]));
  expect([...models.values()][0]?.chain[0]?.provider.secret).toBe("near-main");
  expect(() => parse(changed({ provider: { secret: "near-main" } }))).toThrow(
    "providers.near.secret: must not be set beside api_key_env: a provider has one key",
  );
  expect(() => parse(changed({ provider: { ...change, secret: "Near Main" } }))).toThrow(
    /^providers\.near\.secret: must be at most 63 of/,
  );
});

test("JSON is read as the same YAML is, and a name that stands twice is refused", () => {
  const json = JSON.stringify(valid);
  expect(parse(json)).toEqual(parse(stringify(valid)));
  expect(() => parse(json.replace("{", '{"models":[],'))).toThrow(
    /^the file is not YAML: Map keys/,
  );
});
