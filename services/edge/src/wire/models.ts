import type { Catalog, Model } from "@tollgate/kit/catalog/model";
import { GatewayError } from "@tollgate/kit/errors";
import type { Price } from "@tollgate/kit/money";
import type { Authenticate } from "../auth.ts";
import type { Exchange, Route } from "../exchange.ts";

export interface ModelsParts {
  authenticate: Authenticate;
  catalog(): Catalog;
}

/** GET /v1/models: the public aliases. A key is not needed, but a wrong one is refused. */
export function listModels(parts: ModelsParts): Route {
  return async (exchange) => {
    await refuseWrongKey(parts, exchange);
    const models = [...parts.catalog().models.values()].filter(isPublic);
    exchange.res.json({ object: "list", data: models.map(modelEntry) });
  };
}

/** GET /v1/models/{alias}: one of them. An alias may hold slashes, encoded or not. */
export function getModel(parts: ModelsParts): Route {
  return async (exchange) => {
    await refuseWrongKey(parts, exchange);
    const alias = [exchange.req.params.alias ?? []].flat().join("/");
    const model = parts.catalog().models.get(alias);
    if (model === undefined || !isPublic(model)) {
      throw new GatewayError("model_not_found", `No model is called ${JSON.stringify(alias)}.`);
    }
    exchange.res.json(modelEntry(model));
  };
}

async function refuseWrongKey({ authenticate }: ModelsParts, exchange: Exchange): Promise<void> {
  if (exchange.req.get("authorization") !== undefined) await authenticate(exchange);
}

function isPublic(model: Model): boolean {
  return model.visibility === "public";
}

function modelEntry(model: Model): Record<string, unknown> {
  const readsText = model.routeType === "chat" || model.routeType === "embeddings";
  const contextTokens = model.contextTokens ?? null;
  return {
    id: model.alias,
    object: "model",
    created: model.created,
    owned_by: model.ownedBy,
    route_type: model.routeType,
    context_tokens: contextTokens,
    ...(readsText ? { context_length: contextTokens } : {}),
    pricing: model.unitType === "tokens" ? tokenPricing(model) : unitPricing(model),
  };
}

function unitPricing({ unitType, pricing: { input } }: Model): Record<string, unknown> {
  const price = Number(decimal(input.picoUsd));
  return { currency: "USD", unit_type: unitType, per: Number(input.per), price };
}

const million = 1_000_000n;
const free: Price = { picoUsd: 0n, per: 1n };

/** Token prices in both forms that clients know: USD a million tokens, and USD a token. */
function tokenPricing({ pricing }: Model): Record<string, unknown> {
  const { input, cachedInput, output = free } = pricing;
  return {
    currency: "USD",
    unit_type: "tokens",
    per: Number(million),
    input: perMillion(input),
    output: perMillion(output),
    prompt: perToken(input),
    completion: perToken(output),
    ...(cachedInput === undefined ? {} : { cached_input: perMillion(cachedInput) }),
  };
}

function perMillion({ picoUsd, per }: Price): number {
  return Number(decimal((picoUsd * million) / per));
}

/** Exact also where a token costs a fraction of a pico-USD. */
function perToken({ picoUsd, per }: Price): string {
  return decimal((picoUsd * million) / per, 18);
}

/** An integer scaled by 10^`places` as a plain decimal, without trailing zeros. */
function decimal(scaled: bigint, places = 12): string {
  const digits = scaled.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return `${digits.slice(0, -places)}${fraction === "" ? "" : `.${fraction}`}`;
}
