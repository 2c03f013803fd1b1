import { describe, expect, test } from "vitest";
import { testKinds } from "../test/kinds.ts";
import { toCheckedCatalog } from "./parse.ts";

type Entry = Record<string, unknown>;

const near = { provider: "near", model: "m" };
const far = { provider: "far", model: "m" };

function parse(model: Entry, chain: readonly Entry[], provider: Entry = {}) {
  const common = {
    ...{ alias: "a", route_type: "chat", context_tokens: 1_000, max_output_tokens: 100 },
    pricing: { input: "1", output: "1" },
  };
  const base_url = "http://127.0.0.1:9";
  const providers = { near: { base_url, ...provider }, far: { base_url } };
  const file = { providers, models: [{ ...common, ...model, chain }] };
  return toCheckedCatalog(file, testKinds).models.get("a");
}

describe("a slot", () => {
  test("has its tier, weight, limits and retries", () => {
    const limits = { requests_per_minute: 60, tokens_per_minute: 1_000, parallel: 4 };
    const chain = [{ ...near, tier: 1, weight: 3, ...limits, retries: 2 }];
    expect(parse({}, chain)?.chain).toMatchObject([
      {
        ...{ tier: 1, weight: 3, retries: 2 },
        limits: { requestsPerMinute: 60, tokensPerMinute: 1_000, parallel: 4 },
      },
    ]);
  });

  test("has none of them by default, so that its calls are not counted", () => {
    const [slot] = parse({}, [{ ...near, retries: 0 }])?.chain ?? [];
    for (const name of ["tier", "weight", "limits", "retries", "contextTokens"]) {
      expect(slot).not.toHaveProperty(name);
    }
  });

  test("is counted where its model balances by load", () => {
    const chain = [
      { ...near, tier: 1 },
      { ...far, tier: 1 },
      { ...far, model: "n" },
    ];
    const counted = (balance: string) =>
      parse({ balance }, chain)?.chain.map(({ limits }) => limits !== undefined);
    expect(counted("least_busy")).toEqual([true, true, false]);
    expect(counted("latency")).toEqual([true, true, false]);
    expect(counted("weight")).toEqual([false, false, false]);
  });

  test("has the context of the model, where it falls back by that and has none of its own", () => {
    const model = parse({ fallback_on: ["context_length"] }, [
      { ...near, context_tokens: 500 },
      far,
    ]);
    expect(model?.fallsBackByContext).toBe(true);
    expect(model?.chain.map(({ contextTokens }) => contextTokens)).toEqual([500, 1_000]);
  });
});

test("a model balances by weight where two slots have the same tier, and not otherwise", () => {
  const tiers = (...numbers: number[]) => numbers.map((tier) => ({ ...near, tier }));
  expect(parse({}, tiers(1, 1))?.balance).toBe("weight");
  expect(parse({ balance: "latency" }, tiers(1, 2, 2))?.balance).toBe("latency");
  expect(parse({}, tiers(1, 2))?.balance).toBeUndefined();
  expect(parse({}, [near, far])?.balance).toBeUndefined();
});

test("a provider has the timeouts of its entry", () => {
  const seconds = {
    connect_seconds: 1,
    first_byte_seconds: 2,
    timeout_seconds: 3,
    total_seconds: 4,
  };
  expect(parse({}, [near], seconds)?.chain[0]?.provider).toMatchObject({
    ...{ connectMs: 1_000, firstByteMs: 2_000, timeoutMs: 3_000, totalMs: 4_000 },
    isDefaultTimeout: false,
  });
  const byDefault = parse({}, [near])?.chain[0]?.provider;
  expect(byDefault).toMatchObject({ timeoutMs: 120_000, isDefaultTimeout: true });
  expect(byDefault).not.toHaveProperty("totalMs");
});

test.each<[string, Entry, Entry[], string]>([
  [
    "a weight without a tier",
    {},
    [{ ...near, weight: 2 }],
    "chain[0].weight: must not be set without a tier",
  ],
  [
    "a tier that stands after a higher one",
    {},
    [
      { ...near, tier: 2 },
      { ...far, tier: 1 },
    ],
    "chain[1].tier: must not be 1 here: slots of a tier stand together, and tiers in the order of their numbers",
  ],
  [
    "a tier that stands apart",
    {},
    [{ ...near, tier: 1 }, far, { ...far, tier: 1 }],
    "chain[2].tier: must not be 1 here: slots of a tier stand together, and tiers in the order of their numbers",
  ],
  [
    "a balance without tiers",
    { balance: "latency" },
    [near],
    "balance: must not be set, since no slot has a tier",
  ],
  [
    "a context without a fallback",
    {},
    [{ ...near, context_tokens: 5 }],
    "chain[0].context_tokens: must not be set without fallback_on: [context_length] of the model",
  ],
  [
    "a context that is larger than that of the model",
    { fallback_on: ["context_length"] },
    [{ ...near, context_tokens: 1_001 }],
    "chain[0].context_tokens: must not be more than those of the model, which are 1000",
  ],
])("%s is refused, and the error names its path", (_, model, chain, message) => {
  expect(() => parse(model, chain)).toThrow(`models[0] (a).${message}`);
});

test("a limit of tokens is refused on routes that count none", () => {
  const pricing = { per: 1, price: "1" };
  const chain = [{ ...near, tokens_per_minute: 5 }];
  const file = {
    providers: { near: { base_url: "http://127.0.0.1:9" } },
    models: [{ alias: "a", route_type: "rerank", pricing, chain }],
  };
  expect(() => toCheckedCatalog(file, testKinds)).toThrow(
    "models[0] (a).chain[0].tokens_per_minute: must not be set, since rerank counts no tokens",
  );
});
