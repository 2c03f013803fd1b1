import type { Slot } from "@tollgate/catalog/model";
import { type Price, parsePicoUsd } from "@tollgate/core/money";
import { closest } from "./closest.ts";

/**
 * The version of the data set, and when it was published. It is for the operator's commands alone:
 * a request is priced by the catalog.
 */
export const dataSet = "@pydantic/genai-prices 0.1.8 (2026-09-23)";

/** What a provider bills for a model, in the words of the catalog. */
export interface ListPrice {
  /** The ids of the data set. The model's may name a family of models with the same prices. */
  provider: string;
  model: string;
  title: string;
  contextTokens: number | undefined;
  /** The page of the provider's prices. */
  source: string | undefined;
  /** The day from which the prices are valid, for example `2026-03-13`, where the data set has it. */
  since: string | undefined;
  note: string | undefined;
  /** Whether the provider bills less at other times of the day. These are its highest prices. */
  isPeak: boolean;
  rates: ListRates;
  /** Prices of requests with longer prompts, shortest first. Each has the rates of all tokens. */
  tiers: readonly { aboveInputTokens: number; rates: ListRates }[];
}

/**
 * Prices by dimension of the catalog. What the catalog has no dimension for has the key of the data
 * set, for example `output_image_mtok`.
 */
export type ListRates = ReadonlyMap<string, Price>;

type DataSet = typeof import("@pydantic/genai-prices");
type DataProvider = NonNullable<ReturnType<DataSet["findProvider"]>>;
type DataPrices = DataProvider["models"][number]["prices"];
type ModelPrice = Exclude<DataPrices, readonly unknown[]>;

export interface ListPrices {
  /** Finds the list price of a model of a provider, both named as in `openai/gpt-4o`. */
  find(provider: string, model: string): ListPrice | undefined;
  /** Finds the list price of a model at the address of its provider. */
  findByUrl(baseUrl: string, model: string): ListPrice | undefined;
  /** Returns names that are found and similar to `provider/model`, the most similar first. */
  similar(provider: string, model: string): string[];
}

/** Loads the data set, which is part of its package. The prices are those that are valid at `at`. */
export async function loadListPrices(at: Date): Promise<ListPrices> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  function find(provider: DataProvider | undefined, model: string): ListPrice | undefined {
    if (provider === undefined) return undefined;
    const found = calcPrice({}, model, { providerId: provider.id, timestamp: at });
    return found === null ? undefined : listPrice(provider, found.model, at);
  }
  function isKnown(name: string): boolean {
    const [providerId = ""] = name.split("/", 1);
    const provider = findProvider({ providerId });
    return find(provider, name.slice(providerId.length + 1)) !== undefined;
  }
  return {
    find: (provider, model) => find(findProvider({ providerId: provider }), model),
    findByUrl: (baseUrl, model) => find(findProvider({ providerApiUrl: baseUrl }), model),
    similar(name, model) {
      const provider = findProvider({ providerId: name });
      if (provider === undefined) {
        const others = closest(name, wellKnownProviders).map((other) => `${other}/${model}`);
        return others.filter((other) => isKnown(other));
      }
      const ids = provider.models.map(({ id }) => id);
      return closest(model, ids).flatMap((id) => {
        const match = provider.models.find((one) => one.id === id)?.match;
        const names = [id, ...(match === undefined ? [] : textsOf(match))];
        return names.map((text) => `${name}/${text}`).find(isKnown) ?? [];
      });
    },
  };
}

/**
 * Returns the list price of a slot, found by the address of its provider, or by the provider's name
 * where the address is in the environment.
 */
export function listPriceOf(
  { provider, upstreamModel }: Slot,
  prices: ListPrices,
): ListPrice | undefined {
  const { baseUrl, name } = provider;
  if (baseUrl !== undefined) return prices.findByUrl(baseUrl, upstreamModel);
  return prices.find(name, upstreamModel);
}

/** Providers of the data set, which does not list them. Errors suggest these. */
export const wellKnownProviders = [
  "anthropic",
  "aws",
  "azure",
  "cerebras",
  "cohere",
  "deepseek",
  "fireworks",
  "google",
  "groq",
  "mistral",
  "moonshotai",
  "novita",
  "openai",
  "openrouter",
  "perplexity",
  "together",
  "voyageai",
  "x-ai",
  "zai",
] as const;

/** Returns the texts that a rule of the data set compares the names of a model with. */
function textsOf(match: DataProvider["models"][number]["match"]): string[] {
  return Object.values(match).flatMap((part) =>
    typeof part === "string" ? part : (part as (typeof match)[]).flatMap(textsOf),
  );
}

function listPrice(
  provider: DataProvider,
  model: DataProvider["models"][number],
  at: Date,
): ListPrice {
  const { prices, since, isPeak } = validPrices(model.prices, at);
  const starts = new Set(
    Object.values(prices)
      .flatMap((price) => tiersOf(price))
      .map(startOf),
  );
  return {
    provider: provider.id,
    model: model.id,
    title: model.name ?? model.id,
    contextTokens: model.context_window,
    source: provider.pricing_urls?.[0],
    since,
    note: model.price_comments,
    isPeak,
    rates: ratesAbove(prices, 0),
    tiers: [...starts]
      .sort((left, right) => left - right)
      .map((start) => ({ aboveInputTokens: start, rates: ratesAbove(prices, start + 1) })),
  };
}

/**
 * Returns the prices that are valid at a time. A later entry of the data set replaces an earlier
 * one, from a day on or at some hours of each day. Of the hours, those with the highest prices count.
 */
function validPrices(prices: DataPrices, at: Date) {
  if (!Array.isArray(prices)) return { prices, since: undefined, isPeak: false };
  const today = at.toISOString().slice(0, 10);
  const hourly: ModelPrice[] = [];
  for (const { constraint, prices: entry } of prices.toReversed()) {
    const since = constraint?.type === "start_date" ? constraint.start_date : undefined;
    if (constraint?.type === "time_of_date") hourly.push(entry);
    else if (since === undefined || since <= today) {
      const highest = [entry, ...hourly].reduce((most, one) =>
        totalOf(one) > totalOf(most) ? one : most,
      );
      return { prices: highest, since, isPeak: hourly.length > 0 };
    }
  }
  return { prices: prices[0]?.prices ?? {}, since: undefined, isPeak: false };
}

function totalOf(prices: ModelPrice): number {
  return Object.values(prices).reduce<number>((sum, price) => sum + amountAbove(price, 0), 0);
}

type Amount = ModelPrice[string];

function tiersOf(amount: Amount) {
  return typeof amount === "object" ? amount.tiers : [];
}

const startOf = ({ start }: { start: number }) => start;

/** Returns the price of a request with this number of input tokens. */
function amountAbove(amount: Amount, inputTokens: number): number {
  if (typeof amount !== "object") return amount ?? 0;
  const tier = amount.tiers.findLast(({ start }) => inputTokens > start);
  return tier?.price ?? amount.base;
}

function ratesAbove(prices: ModelPrice, inputTokens: number): ListRates {
  const rates = Object.entries(prices).flatMap(([key, amount]): [string, Price][] => {
    if (amount === undefined) return [];
    const picoUsd = picoUsdOf(amountAbove(amount, inputTokens));
    return [[dimensions[key] ?? key, { picoUsd, per: perOf(key) }]];
  });
  return new Map(rates);
}

/** The dimensions of the catalog by the keys of the data set. */
const dimensions: Readonly<Record<string, string>> = {
  input_mtok: "input",
  cache_read_mtok: "cached_input",
  cache_write_mtok: "cache_write",
  cache_write_1h_mtok: "cache_write_1h",
  input_audio_mtok: "audio_input",
  output_mtok: "output",
  output_reasoning_mtok: "reasoning",
  output_audio_mtok: "audio_output",
  web_searches_kcount: "tool:web_search",
};

/** Returns the number of units that a price is for, from the last part of its key. */
function perOf(key: string): bigint {
  if (key.endsWith("_mtok")) return 1_000_000n;
  return key.endsWith("_hours") ? 1n : 1_000n;
}

/** The data set has binary fractions: above 1,000 USD they are not exact to 12 decimals. */
function picoUsdOf(usd: number): bigint {
  const picoUsd = parsePicoUsd(usd.toFixed(usd < 1_000 ? 12 : 6));
  if (picoUsd === undefined) throw new RangeError(`${usd} is not a price`);
  return picoUsd;
}
