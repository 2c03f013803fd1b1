import { expect, test } from "vitest";
import { catalogWith, parse } from "../test/small-catalog.ts";
import { type Catalog, secretNamesOf } from "./model.ts";

test.each([
  "DATABASE_URL",
  "NATS_URL",
  "TOLLGATE_FLEET_SECRET",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "NODE_OPTIONS",
  "REGIONAL_SECRET",
])("%s is not a provider's key", (variable) => {
  const provider = catalogWith({ provider: { api_key_env: variable } });
  expect(() => parse(provider)).toThrow(
    /^providers\.near\.api_key_env: must not be a variable of the gateway or of Regional/,
  );
});

test.each([
  "OPENAI_API_KEY",
  "REGIONAL_KEY",
  "NODEPING_KEY",
])("%s may be a provider's key", (variable) => {
  expect(() => parse(catalogWith({ provider: { api_key_env: variable } }))).not.toThrow();
});

test("a provider's key may be in a stored secret, in place of a variable", () => {
  const change = { api_key_env: undefined, secret: "near-main" };
  const { providers, models } = parse(catalogWith({ provider: change }));
  expect(providers.get("near")).toMatchObject({ secret: "near-main", apiKeyEnv: undefined });
  expect(secretNamesOf({ providers } as Catalog)).toEqual(new Set(["near-main"]));
  expect([...models.values()][0]?.chain[0]?.provider.secret).toBe("near-main");
  expect(() => parse(catalogWith({ provider: { secret: "near-main" } }))).toThrow(
    "providers.near.secret: must not be set beside api_key_env: a provider has one key",
  );
  expect(() => parse(catalogWith({ provider: { ...change, secret: "Near Main" } }))).toThrow(
    /^providers\.near\.secret: must be at most 63 of/,
  );
});
