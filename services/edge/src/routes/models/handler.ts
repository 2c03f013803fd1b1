import { type Model, modelAtPlan } from "@tollgate/catalog/model";
import { allowsModel } from "@tollgate/catalog/model-policy";
import { commonParameters } from "@tollgate/catalog/provider-kind";
import { GatewayError } from "@tollgate/core/errors";
import type { Price } from "@tollgate/core/money";
import type { z } from "zod";
import type { Principal } from "../../auth/authenticate.ts";
import type { OptionalKeyHandler } from "../../http/handler.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { writeJson } from "../../http/response.ts";
import type { RouteDependencies } from "../dependencies.ts";
import { anthropicEntry, anthropicPage } from "./anthropic-list.ts";
import { versionHeader } from "./anthropic-schema.ts";
import type { modelListSchema, modelSchema, tokenPriceSchema, unitPriceSchema } from "./schema.ts";

/**
 * GET /v1/models. Lists the public aliases that the key may call, at the prices of its account; without
 * a key, all at the list prices. Clients of Anthropic's API get those of chat.
 */
export function listModels({ catalog, isModelListed }: RouteDependencies): OptionalKeyHandler {
  return async (context, principal) => {
    const models = [...catalog().models.values()].filter(
      (model) => isListed(model, principal) && isModelListed(model),
    );
    if (isAnthropic(context)) return writeJson(context, anthropicPage(chatOf(models), context.req));
    const priced = models.map((model) => modelAtPlan(catalog(), model, principal?.plan ?? ""));
    const list: z.infer<typeof modelListSchema> = { object: "list", data: priced.map(toEntry) };
    writeJson(context, list);
  };
}

/** GET /v1/models/{alias} */
export function getModel({ catalog, isModelListed }: RouteDependencies): OptionalKeyHandler {
  return async (context, principal) => {
    const alias = context.pathParameter ?? "";
    const model = catalog().models.get(alias);
    const isOwn = isAnthropic(context);
    const isFound = model !== undefined && isListed(model, principal) && isModelListed(model);
    if (!isFound || (isOwn && model.routeType !== "chat")) {
      throw new GatewayError("model_not_found", `There is no model ${JSON.stringify(alias)}.`);
    }
    const priced = modelAtPlan(catalog(), model, principal?.plan ?? "");
    writeJson(context, isOwn ? anthropicEntry(model) : toEntry(priced));
  };
}

function isAnthropic({ req }: RequestContext): boolean {
  return req.headers[versionHeader] !== undefined;
}

function chatOf(models: readonly Model[]): Model[] {
  return models.filter(({ routeType }) => routeType === "chat");
}

function isListed(model: Model, principal: Principal | undefined): boolean {
  return model.visibility === "public" && allowsModel(principal?.models ?? [], model);
}

function toEntry(model: Model): z.infer<typeof modelSchema> {
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
    ...(model.routeType === "chat" ? { supported_parameters: parametersOf(model) } : {}),
    pricing: model.unitType === "tokens" ? tokenPricing(model) : unitPricing(model),
  };
}

/** Returns the members of a chat request that all slots take. */
function parametersOf({ passes, chain }: Model): string[] {
  const kinds = chain.map(({ provider }) => provider.kind);
  const others = kinds.every(({ takesOtherMembers }) => takesOtherMembers) ? passes : [];
  return [...commonParameters(kinds), ...others];
}

function unitPricing({ unitType, pricing: { input } }: Model): z.infer<typeof unitPriceSchema> {
  const price = Number(decimal(input.picoUsd));
  return { currency: "USD", unit_type: unitType, per: Number(input.per), price };
}

const million = 1_000_000n;
const free: Price = { picoUsd: 0n, per: 1n };

/**
 * Returns token prices in the two forms that clients use: USD per million tokens, and per token.
 */
function tokenPricing({ pricing }: Model): z.infer<typeof tokenPriceSchema> {
  const { input, cached_input, output = free } = pricing;
  return {
    currency: "USD",
    unit_type: "tokens",
    per: Number(million),
    input: perMillion(input),
    output: perMillion(output),
    prompt: perToken(input),
    completion: perToken(output),
    ...(cached_input === undefined ? {} : { cached_input: perMillion(cached_input) }),
  };
}

function perMillion({ picoUsd, per }: Price): number {
  return Number(decimal((picoUsd * million) / per));
}

/** Exact for prices below a pico-USD per token, too. */
function perToken({ picoUsd, per }: Price): string {
  return decimal((picoUsd * million) / per, 18);
}

/** Formats an integer scaled by 10^`places` as a decimal without trailing zeros. */
function decimal(scaled: bigint, places = 12): string {
  const digits = scaled.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return `${digits.slice(0, -places)}${fraction === "" ? "" : `.${fraction}`}`;
}
