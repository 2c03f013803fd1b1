import { StartError } from "@tollgate/core/errors";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { catalogWith, parse, smallChat, valid } from "../test/small-catalog.ts";
import { CatalogError } from "./catalog-problems.ts";

test.each<[string, string, string]>([
  [
    "an unquoted price",
    catalogWith({ model: { pricing: { input: 0.1, output: "0.40" } } }),
    'models[0] (small).pricing.input: must be a price in quotes, for instance "0.15"',
  ],
  [
    "a price with thirteen decimals",
    catalogWith({ model: { pricing: { input: "0.1234567890123", output: "1" } } }),
    "models[0] (small).pricing.input: must be a decimal in USD of at least 0, with at most 12 decimals",
  ],
  [
    "a price per 7",
    catalogWith({ model: { pricing: { ...smallChat.pricing, per: 7 } } }),
    "models[0] (small).pricing.per: must be 1, 1000 or 1000000",
  ],
  [
    "an unknown provider",
    catalogWith({ model: { chain: [...smallChat.chain, { provider: "far", model: "x" }] } }),
    'models[0] (small).chain[1].provider: must be the name of a provider, and "far" is none',
  ],
  [
    "a slot in a chain twice, with two paths",
    catalogWith({
      model: {
        chain: [
          { ...smallChat.chain[0], path: "/a" },
          { provider: "near", model: "b" },
          ...smallChat.chain,
        ],
      },
    }),
    "models[0] (small).chain[2]: has the id near/small-1 of chain[0], but another path: name its provider",
  ],
  [
    "an alias twice",
    stringify({ ...valid, models: [smallChat, { ...smallChat, alias: "other" }, smallChat] }),
    "models[2] (small).alias: small is used twice",
  ],
  [
    "base_url and base_url_env at once",
    catalogWith({ provider: { base_url_env: "NEAR_URL" } }),
    "providers.near: must have either base_url or base_url_env",
  ],
  [
    "neither base_url nor base_url_env",
    catalogWith({ provider: { base_url: undefined } }),
    "providers.near: must have either base_url or base_url_env",
  ],
  [
    "an ftp base_url",
    catalogWith({ provider: { base_url: "ftp://example.test/v1" } }),
    "providers.near.base_url: must be an http or https URL",
  ],
  [
    "an alias that is not valid",
    catalogWith({ model: { alias: " x" } }),
    "models[0] ( x).alias: must be 1 to 128 letters, digits and . _ : / -",
  ],
  [
    "an unknown route_type",
    catalogWith({ model: { route_type: "telepathy" } }),
    'models[0] (small).route_type: must be one of "chat", "embeddings", "speech"',
  ],
])("%s is refused, and the error names its path", (_, text, message) => {
  expect(() => parse(text)).toThrow(StartError);
  expect(() => parse(text)).toThrow(message);
});

test.each<[string, string, RegExp]>([
  [
    "an unknown key of a model",
    catalogWith({ model: { colour: "red" } }),
    /^models\[0\] \(small\)\.colour: is not a field/,
  ],
  [
    "an unknown key of a provider",
    catalogWith({ provider: { key: "x" } }),
    /^providers\.near\.key: is not a field/,
  ],
  [
    "an unknown key of a slot",
    catalogWith({ model: { chain: [{ ...smallChat.chain[0], colour: "red" }] } }),
    /^models\[0\] \(small\)\.chain\[0\]\.colour: is not a field/,
  ],
  [
    "an unknown key of the file",
    stringify({ ...valid, extra: 1 }),
    /^extra: is not a field of the catalog$/,
  ],
  [
    "an empty chain",
    catalogWith({ model: { chain: [] } }),
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
      { ...smallChat, colour: "red", size: 1 },
      { ...smallChat, alias: "other", pricing: { input: "a lot", output: "0.40" } },
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
    const models = [smallChat, { ...smallChat, chain }, { ...smallChat, alias: "third", chain }];
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
