import type { CatalogPrice } from "@tollgate/proto/tollgate/v1/model";
import type { ProviderModel } from "@tollgate/proto/tollgate/v1/slot_test";
import type { DraftEntry } from "./document.ts";

/** The prices that chat has in the catalog; those of tools have names of their own. */
const chatDimensions = [
  "input",
  "cached_input",
  "cache_write",
  "cache_write_1h",
  "audio_input",
  "output",
  "reasoning",
  "audio_output",
] as const;

/** Of a model that the list prices do not have, and where they have no limit of the output. */
const contextTokens = 8_192;
const maxOutputTokens = 4_096;

/** What a person chose of a model that is added. */
export interface ChosenModel {
  alias: string;
  /** USD per million tokens, as they were typed. An empty output: the model makes embeddings. */
  input: string;
  output: string;
}

/** Returns what a model is added with unless it is changed: its id, and its list prices. */
export function proposedModel({ id, listPrices }: ProviderModel): ChosenModel {
  const rates = ratesAbove(listPrices, 0n);
  return {
    alias: toAlias(id),
    input: rates.input ?? "",
    output: isEmbedding(id) ? "" : (rates.output ?? ""),
  };
}

/** Returns the entry of a model of a provider. Prices that a person did not choose are the list's. */
export function modelEntryOf(
  provider: string,
  { id, contextTokens: window, listPrices, hidesReasoning }: ProviderModel,
  { alias, input, output }: ChosenModel,
): DraftEntry {
  const chain = [{ provider, model: id }];
  if (output === "") {
    const limit = window === undefined ? {} : { context_tokens: Number(window) };
    return { alias, route_type: "embeddings", ...limit, pricing: { input }, chain };
  }
  const tiers = [...new Set(listPrices.map(({ aboveInputTokens }) => aboveInputTokens))]
    .filter((above) => above > 0n)
    .map((above) => ({ above_input_tokens: Number(above), ...tokenRates(listPrices, above) }))
    .filter((tier) => "input" in tier && "output" in tier);
  // The prices of tiers are those of a list that does not apply where the base price is another.
  const proposed = ratesAbove(listPrices, 0n);
  const isAtList = proposed.input === input && proposed.output === output;
  return {
    alias,
    route_type: "chat",
    context_tokens: Number(window ?? contextTokens),
    max_output_tokens: maxOutputTokens,
    ...(hidesReasoning ? { reasoning: "hidden" } : {}),
    pricing: {
      ...tokenRates(listPrices, 0n),
      ...toolRates(listPrices),
      ...{ input, output },
      ...(isAtList && tiers.length > 0 ? { tiers } : {}),
    },
    chain,
  };
}

/** Returns a model's id with a hyphen for what an alias must not have. */
function toAlias(model: string): string {
  return model
    .replace(/^[^A-Za-z0-9]+/, "")
    .replace(/[^A-Za-z0-9._:/-]/g, "-")
    .slice(0, 128);
}

function isEmbedding(id: string): boolean {
  return /embed/i.test(id);
}

type Rates = Readonly<Record<string, string>>;

/** Returns the prices of tokens. Where the list has no price of hourly cache writes, it is twice the input's. */
function tokenRates(prices: readonly CatalogPrice[], above: bigint): Rates {
  const all = ratesAbove(prices, above);
  const rates = chatDimensions.flatMap((name) => (all[name] ? [[name, all[name]]] : []));
  const input = prices.find((one) => one.dimension === "input" && one.aboveInputTokens === above);
  if (input === undefined || !all.cache_write || all.cache_write_1h) {
    return Object.fromEntries(rates);
  }
  const hourly = usdText({ ...input, pricePicoUsd: input.pricePicoUsd * 2n });
  return { ...Object.fromEntries(rates), cache_write_1h: hourly };
}

function toolRates(prices: readonly CatalogPrice[]): Rates {
  const rates = Object.entries(ratesAbove(prices, 0n));
  return Object.fromEntries(rates.filter(([name]) => name.startsWith("tool:")));
}

function ratesAbove(prices: readonly CatalogPrice[], above: bigint): Rates {
  const at = prices.filter(({ aboveInputTokens }) => aboveInputTokens === above);
  return Object.fromEntries(at.map((price) => [price.dimension, usdText(price)]));
}

/** Returns a price in USD as the catalog has it: of a call of a tool, or of a million of other units. */
function usdText({ dimension, pricePicoUsd, per }: CatalogPrice): string {
  const units = dimension.startsWith("tool:") ? 1n : 1_000_000n;
  const pico = (pricePicoUsd * units) / per;
  const decimals = (pico % 10n ** 12n).toString().padStart(12, "0");
  return `${pico / 10n ** 12n}.${decimals.replace(/0{1,10}$/, "")}`;
}
