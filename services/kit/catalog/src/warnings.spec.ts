import { expect, test } from "vitest";
import { testKinds } from "../test/kinds.ts";
import { toCheckedCatalog } from "./parse.ts";
import { catalogWarnings } from "./warnings.ts";

const prices = { input: "1", output: "1" };
const chat = { route_type: "chat", context_tokens: 5, max_output_tokens: 5, pricing: prices };
const providers = { near: { base_url: "https://near.test" }, far: { kind: "closed" } };

function parse(...models: object[]) {
  const limits = { requests_per_minute: 5, tokens_per_minute: 5 };
  return toCheckedCatalog({ providers, models, limits }, testKinds);
}

test("a model that takes images has a warning without the tokens of one", () => {
  const chain = [{ provider: "near", model: "m" }];
  const catalog = parse(
    { ...chat, alias: "blind", chain },
    { ...chat, alias: "seeing", vision: true, image_tokens: 1_500, chain },
    { ...chat, alias: "guessing", vision: true, chain },
  );
  expect(catalogWarnings(catalog)).toEqual([
    "models[2] (guessing): takes images and has no image_tokens: 1200 are held for each image",
  ]);
});

test("audio needs its price and its tokens, and a slot that takes none is named", () => {
  const near = { provider: "near", model: "m" };
  const far = { provider: "far", model: "m", pricing: { ...prices, cache_write_1h: "2" } };
  const heard = { ...prices, audio_input: "9" };
  const audible = { ...chat, inputs: ["audio"] };
  const catalog = parse(
    { ...audible, alias: "a", pricing: heard, audio_tokens_per_second: 25, chain: [near] },
    { ...audible, alias: "b", chain: [near, far] },
    { ...chat, alias: "c", inputs: ["pdf"], chain: [near, far] },
  );
  expect(catalog.models.get("a")?.inputs).toEqual(new Set(["audio"]));
  expect(catalogWarnings(catalog)).toEqual([
    "models[1] (b): takes audio and has no audio_tokens_per_second: 32 are held for each second",
    "models[1] (b): chain[0] takes audio and has no price of audio_input: it costs as input",
    "models[1] (b): chain[1] is left out of requests with audio: providers of the kind closed take no audio",
  ]);
});

test("an input that no slot takes is refused", () => {
  const pricing = { ...prices, cache_write_1h: "2" };
  const chain = [{ provider: "far", model: "m" }];
  expect(() => parse({ ...chat, alias: "a", pricing, inputs: ["pdf", "audio"], chain })).toThrow(
    "models[0] (a).inputs[1]: no provider of this model is of a kind that takes audio",
  );
});

test("a kind that bills hourly cache writes apart needs their price, also in tiers and of a slot", () => {
  const near = { provider: "near", model: "m" };
  const far = { provider: "far", model: "m" };
  const priced = { ...prices, cache_write_1h: "2" };
  const tier = { above_input_tokens: 5, ...prices };
  const model = (pricing: object, ...chain: object[]) => ({ ...chat, alias: "a", pricing, chain });
  for (const valid of [
    model(prices, near),
    model(priced, far),
    model(prices, near, { ...far, pricing: priced }),
    model({ ...priced, tiers: [{ ...tier, cache_write_1h: "4" }] }, far),
  ]) {
    expect(parse(valid).models.size).toBe(1);
  }
  const refusals: [object, number][] = [
    [model(prices, far), 0],
    [model(prices, near, far), 1],
    [model(priced, { ...far, pricing: prices }), 0],
    [model({ ...priced, tiers: [tier] }, far), 0],
  ];
  for (const [refused, index] of refusals) {
    expect(() => parse(refused)).toThrow(
      `models[0] (a).chain[${index}]: must have a price of cache_write_1h, in its tiers too, since ` +
        "providers of the kind closed bill it apart",
    );
  }
});

test("a member that may cost more than its tokens is warned of, and says why", () => {
  const chain = [{ provider: "near", model: "m" }];
  const passes = ["reasoning", "provider", "enable_search"];
  expect(catalogWarnings(parse({ ...chat, alias: "a", passes, chain }))).toEqual([
    expect.stringMatching(/passes provider, .*: another provider or model may serve/),
    expect.stringMatching(/passes enable_search, .*: the provider runs tools that it bills apart/),
  ]);
});

test("a slot whose kind refuses passed members is named, with the members", () => {
  const near = { provider: "near", model: "m" };
  const far = { provider: "far", model: "m", pricing: { ...prices, cache_write_1h: "2" } };
  const entry = { ...chat, chain: [near, far] };
  const passing = { ...entry, alias: "b", passes: ["verbosity", "reasoning"] };
  expect(catalogWarnings(parse({ ...entry, alias: "a" }, passing))).toEqual([
    "models[1] (b): chain[1] refuses requests with verbosity, reasoning: providers of the kind closed take no members of passes",
  ]);
});

test("what the gateway sets is not passed, in any case", () => {
  const chain = [{ provider: "near", model: "m" }];
  for (const name of ["models", "usage", "max_output_tokens", "Model", "STREAM", "Max_Tokens"]) {
    expect(() => parse({ ...chat, alias: "a", passes: [name], chain }), name).toThrow(
      "models[0] (a).passes[0]: is a member that Tollgate defines: leave it out",
    );
  }
});
