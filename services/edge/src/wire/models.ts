import { type Catalog, type Model, routeTypes, unitTypes } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { Price } from "@tollgate/core/money";
import { z } from "zod";
import { writeJson } from "../answer.ts";
import type { Authenticate } from "../auth.ts";
import type { Exchange, Route } from "../exchange.ts";
import { unixSeconds } from "../openapi/answer-fields.ts";
import { jsonAnswer, type Operation } from "../openapi/operation.ts";

export interface ModelsParts {
  authenticate: Authenticate;
  catalog(): Catalog;
}

/** GET /v1/models: the public aliases. A key is not needed, but a wrong one is refused. */
export function listModels(parts: ModelsParts): Route {
  return async (exchange) => {
    await refuseWrongKey(parts, exchange);
    const models = [...parts.catalog().models.values()].filter(isPublic);
    const list: z.infer<typeof listSchema> = { object: "list", data: models.map(modelEntry) };
    writeJson(exchange, list);
  };
}

/** GET /v1/models/{alias}: one of them. An alias may hold slashes, encoded or not. */
export function getModel(parts: ModelsParts): Route {
  return async (exchange) => {
    await refuseWrongKey(parts, exchange);
    const alias = exchange.pathParameter ?? "";
    const model = parts.catalog().models.get(alias);
    if (model === undefined || !isPublic(model)) {
      throw new GatewayError("model_not_found", `No model is called ${JSON.stringify(alias)}.`);
    }
    writeJson(exchange, modelEntry(model));
  };
}

async function refuseWrongKey({ authenticate }: ModelsParts, exchange: Exchange): Promise<void> {
  if (exchange.req.headers.authorization !== undefined) await authenticate(exchange);
}

function isPublic(model: Model): boolean {
  return model.visibility === "public";
}

function modelEntry(model: Model): z.infer<typeof modelSchema> {
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

function unitPricing({ unitType, pricing: { input } }: Model): z.infer<typeof unitPrice> {
  const price = Number(decimal(input.picoUsd));
  return { currency: "USD", unit_type: unitType, per: Number(input.per), price };
}

const million = 1_000_000n;
const free: Price = { picoUsd: 0n, per: 1n };

/** Token prices in both forms that clients know: USD a million tokens, and USD a token. */
function tokenPricing({ pricing }: Model): z.infer<typeof tokenPrice> {
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

const unitPrice = z.object({
  currency: z.literal("USD"),
  unit_type: z.enum(unitTypes),
  per: z.int().describe("So many units cost the price."),
  price: z.number().describe("US dollars."),
});

const perMillionTokens = z.number().describe("US dollars a million tokens.");
const perOneToken = z.string().describe("US dollars a token, as a decimal.");
const tokenPrice = z.object({
  currency: z.literal("USD"),
  unit_type: z.literal("tokens"),
  per: z.int(),
  input: perMillionTokens,
  output: perMillionTokens,
  cached_input: perMillionTokens.optional(),
  prompt: perOneToken,
  completion: perOneToken,
});

const modelSchema = z
  .object({
    id: z.string().describe("The alias: what requests name in `model`."),
    object: z.literal("model"),
    created: unixSeconds,
    owned_by: z.string(),
    route_type: z.enum(routeTypes).describe("The one kind of route that serves it."),
    context_tokens: z.int().nullable().describe("How much it reads, where that means something."),
    context_length: z.int().nullable().optional().describe("The same under another name."),
    pricing: z.union([tokenPrice, unitPrice]),
  })
  .meta({ id: "Model" });
const listSchema = z.object({ object: z.literal("list"), data: z.array(modelSchema) });

export const listModelsOperation: Operation = {
  id: "listModels",
  tag: "Models",
  summary: "List models",
  about: "Needs no key, and tells nobody more than another. A key that is wrong is refused.",
  access: "optional key",
  answers: { 200: jsonAnswer("ModelList", listSchema, "All public aliases.") },
};

export const getModelOperation: Operation = {
  id: "getModel",
  tag: "Models",
  summary: "Read a model",
  about: "An alias may hold slashes, as they are or encoded.",
  access: "optional key",
  parameters: [
    {
      in: "path",
      name: "alias",
      description: "The model's alias.",
      required: true,
      schema: { type: "string" },
    },
  ],
  answers: { 200: jsonAnswer("Model", modelSchema, "The model.") },
  errors: ["model_not_found"],
};
