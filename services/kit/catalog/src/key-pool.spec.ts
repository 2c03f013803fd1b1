import { describe, expect, test } from "vitest";
import { testKinds } from "../test/kinds.ts";
import { chainSlotOf, keySlotsOf, slotWithKey, withEachKey } from "./key-pool.ts";
import { type Catalog, type Provider, type Slot, secretNamesOf } from "./model.ts";
import { toCheckedCatalog } from "./parse.ts";

type Entry = Record<string, unknown>;

function parse(provider: Entry, model: Entry = {}): Catalog {
  const near = { base_url: "http://127.0.0.1:9", ...provider };
  const chain = [{ provider: "near", model: "m" }];
  const pricing = { per: 1, price: "1" };
  const entry = { alias: "a", route_type: "images", pricing, chain, ...model };
  return toCheckedCatalog({ providers: { near }, models: [entry] }, testKinds);
}

function slotOf(catalog: Catalog): Slot {
  return catalog.models.get("a")?.chain[0] as Slot;
}

const keys = [{ secret: "main", weight: 3 }, { env: "SECOND_KEY" }];

describe("a slot of a provider with several keys", () => {
  test("has a slot with each of them", () => {
    const slot = slotOf(parse({ keys }));
    const slots = keySlotsOf(slot);
    expect(slots.map(({ id, provider }) => [id, provider.secret, provider.apiKeyEnv])).toEqual([
      ["near/m", "main", undefined],
      ["near/m", undefined, "SECOND_KEY"],
    ]);
    expect(slots.map(({ provider }) => provider.key)).toMatchObject([
      { name: "main", weight: 3 },
      { name: "SECOND_KEY", weight: 1 },
    ]);
    for (const one of slots) {
      expect(chainSlotOf(one)).toBe(slot);
      expect(keySlotsOf(one)).toBe(slots);
    }
  });

  test("is found by the name of a key, and has its first one for a name that is gone", () => {
    const slot = slotOf(parse({ keys }));
    expect(slotWithKey(slot, "SECOND_KEY").provider.apiKeyEnv).toBe("SECOND_KEY");
    expect(slotWithKey(slot, "gone").provider.secret).toBe("main");
    const alone = slotOf(parse({ secret: "main" }));
    expect(slotWithKey(alone, "gone")).toBe(alone);
  });

  test("has the price of a size with each of them", () => {
    const model = parse({ keys }, { sizes: { "64x64": "0.5" } }).models.get("a");
    const [slot] = model?.imageSizes?.get("64x64")?.chain ?? [];
    const prices = keySlotsOf(slot as Slot).map(({ pricing }) => pricing.input.picoUsd);
    expect(prices).toEqual([500_000_000_000n, 500_000_000_000n]);
  });
});

test("a list of one key is the provider's only key", () => {
  const slot = slotOf(parse({ keys: [{ env: "ONLY_KEY" }] }));
  expect(slot.provider).toMatchObject({ apiKeyEnv: "ONLY_KEY", key: { name: "ONLY_KEY" } });
  expect(keySlotsOf(slot)).toEqual([slot]);
  expect(chainSlotOf(slot)).toBe(slot);
});

test("the secrets of a catalog are those of all keys", () => {
  const catalog = parse({ keys });
  expect(secretNamesOf(catalog)).toEqual(new Set(["main"]));
  const near = catalog.providers.get("near") as Provider;
  expect(withEachKey(near).map(({ secret }) => secret)).toEqual(["main", undefined]);
});

test.each<[string, Entry, string]>([
  ["a key without a name", { keys: [{ weight: 1 }] }, "keys[0]: must have either secret or env"],
  [
    "a key with two",
    { keys: [{ secret: "a", env: "A" }] },
    "keys[0]: must have either secret or env",
  ],
  [
    "a key that is listed twice",
    { keys: [{ secret: "a" }, { secret: "a" }] },
    "keys[1].secret: must not be a, which another key has",
  ],
  [
    "a list beside a variable",
    { keys, api_key_env: "A" },
    "keys: must not be set beside api_key_env or secret: list all keys",
  ],
  ["an empty list", { keys: [] }, "keys: must have at least 1 item"],
  [
    "a variable of the gateway",
    { keys: [{ env: "TOLLGATE_FLEET_SECRET" }] },
    "keys[0].env: must not be a variable of the gateway",
  ],
])("%s is refused, and the error names its path", (_, provider, message) => {
  expect(() => parse(provider)).toThrow(`providers.near.${message}`);
});
