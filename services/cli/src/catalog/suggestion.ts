import { outputDimensions, promptDimensions } from "@tollgate/catalog/model";
import { hidesReasoning } from "@tollgate/list-prices/hidden-reasoning-models";
import {
  dataSet,
  type ListPrice,
  type ListPrices,
  type ListRates,
  wellKnownProviders,
} from "@tollgate/list-prices/list-prices";
import { priceText } from "@tollgate/list-prices/price-text";
import { UsageError } from "../help.ts";
import { entryLines, type SuggestedModel } from "./entry-lines.ts";
import { switchesOfVendor } from "./vendor-switches.ts";

/** A model's entry in the catalog, and its lines in the file. */
export interface Suggestion {
  entry: SuggestedModel;
  lines: readonly string[];
}

/** The data set has no output limits. The models of most providers allow this many tokens. */
const maxOutputTokens = 4_096;
/** Of a model whose context window the data set does not have. */
const contextTokens = 8_192;

/**
 * Returns the entries of models, each named as `provider/model`. Throws a UsageError for a name that
 * the data set does not have.
 */
export function suggestModels(names: readonly string[], prices: ListPrices): Suggestion[] {
  const aliases = new Set<string>();
  return [...new Set(names)].map((name) => {
    const { provider, model } = readName(name);
    const listPrice = prices.find(provider, model);
    if (listPrice === undefined) throw unknownModel(name, prices.similar(provider, model));
    const alias = freeAlias(model, name, aliases);
    aliases.add(alias);
    const fields = toFields(name, listPrice);
    const passes = fields.route_type === "chat" ? passesOf(provider) : {};
    const entry = { alias, ...fields, ...passes, chain: [{ provider, model }] };
    return { entry, lines: entryLines(entry, listPrice) };
  });
}

function passesOf(provider: string): Pick<SuggestedModel, "passes"> {
  const { passes = [] } = switchesOfVendor(provider) ?? {};
  return passes.length === 0 ? {} : { passes };
}

function readName(name: string) {
  const [, provider = "", model = ""] = /^([a-z0-9][a-z0-9_-]{0,63})\/(.{1,256})$/.exec(name) ?? [];
  if (provider !== "") return { provider, model };
  throw new UsageError(`${name} must be a provider and a model, such as openai/gpt-4o`);
}

function unknownModel(name: string, similar: readonly string[]): UsageError {
  const hint =
    similar.length > 0
      ? `similar names: ${similar.join(", ")}`
      : `some of its providers: ${wellKnownProviders.join(", ")}`;
  return new UsageError(`${dataSet} has no prices of ${name}; ${hint}`);
}

/** Returns the model's id, or the name with its provider where another entry has that alias. */
function freeAlias(model: string, name: string, taken: ReadonlySet<string>): string {
  const free = [model, name].map(toAlias).find((alias) => !taken.has(alias));
  if (free !== undefined) return free;
  for (let number = 2; ; number += 1) {
    const alias = `${toAlias(name).slice(0, 120)}-${number}`;
    if (!taken.has(alias)) return alias;
  }
}

/** Returns a model's id with a hyphen for what an alias must not have. */
export function toAlias(model: string): string {
  return model
    .replace(/^[^A-Za-z0-9]+/, "")
    .replace(/[^A-Za-z0-9._:/-]/g, "-")
    .slice(0, 128);
}

/** Ids of models that bill tokens, but not on a route whose prices are per token. */
const otherRoutes = /(^|[-/.])(tts|transcribe|realtime|live|rerank|whisper|moderation)/;

function toFields(name: string, { model, rates, tiers, contextTokens: window }: ListPrice) {
  const [input, output] = [rates.get("input"), rates.get("output")];
  if (input === undefined || otherRoutes.test(model)) {
    throw new UsageError(
      `${name} has no prices of chat or embeddings in ${dataSet}; suggest writes only these`,
    );
  }
  if (output === undefined || /embed/.test(model)) {
    return {
      route_type: "embeddings" as const,
      ...(window === undefined ? {} : { context_tokens: window }),
      pricing: { input: priceText("input", input) },
    };
  }
  const longer = tiers.map(({ aboveInputTokens, rates: higher }) => ({
    above_input_tokens: aboveInputTokens,
    ...tokenPrices(higher),
  }));
  return {
    route_type: "chat" as const,
    context_tokens: window ?? contextTokens,
    max_output_tokens: maxOutputTokens,
    ...(hidesReasoning(model) ? { reasoning: "hidden" as const } : {}),
    pricing: {
      ...tokenPrices(rates),
      ...toolPrices(rates),
      ...(longer.length === 0 ? {} : { tiers: longer }),
    },
  };
}

function tokenPrices(rates: ListRates): Record<string, string> {
  const prices = [...promptDimensions, ...outputDimensions].flatMap((dimension) => {
    const price = rates.get(dimension);
    return price === undefined ? [] : [[dimension, priceText(dimension, price)] as const];
  });
  return { ...Object.fromEntries(prices), ...hourlyPrice(rates) };
}

/**
 * Returns the price of hourly cache writes where the data set has that of shorter ones alone: twice that
 * of the input, which is what Anthropic's models cost on all platforms.
 */
function hourlyPrice(rates: ListRates): Record<string, string> {
  const input = rates.get("input");
  if (input === undefined || !rates.has("cache_write") || rates.has("cache_write_1h")) return {};
  const price = { ...input, picoUsd: input.picoUsd * 2n };
  return { cache_write_1h: priceText("cache_write_1h", price) };
}

function toolPrices(rates: ListRates): Record<string, string> {
  const tools = [...rates].filter(([dimension]) => dimension.startsWith("tool:"));
  return Object.fromEntries(tools.map(([name, price]) => [name, priceText(name, price)]));
}
