import type { ListPrices } from "@tollgate/list-prices/list-prices";
import { toAlias } from "../catalog/suggestion.ts";
import { baseUrlOf } from "./base-url.ts";
import { CatalogDraft, type Imported, presentMembers } from "./catalog-draft.ts";
import { multiply, shiftPoint } from "./decimal.ts";
import { type ImportedKey, keyCommands } from "./key-command.ts";
import { assumedRegion, hasRegions, hourlyPriceOf } from "./kinds.ts";
import { findListedModel } from "./listed-model.ts";
import { type ChannelType, channelTypes } from "./new-api-channels.ts";
import type { Channel, NewApiExport, Token } from "./new-api-export.ts";

/** A ratio of 1 is 0.002 USD for 1,000 tokens: 2 USD for a million. */
const usdPerRatio = 2;
/** What a dollar is in quota, unless the options say it. */
const defaultQuotaPerUsd = 500_000;
const enabled = 1;
const contextTokens = 8_192;
const maxOutputTokens = 4_096;
const maxTiers = 16;

/**
 * Translates channels, tokens and ratios of new-api. Channels with the same model share its requests by
 * priority and weight. A model without a ratio has the list price, or is left out by name.
 */
export function importNewApi(
  { channels, tokens, options }: NewApiExport,
  prices: ListPrices,
): Imported {
  const draft = new CatalogDraft();
  const settings = new Map(options.map(({ key, value }) => [key, String(value)]));
  const ratios = readRatios(settings);
  const tiers = tiersOf(channels, draft);
  for (const channel of channels) addChannel(draft, channel, { ratios, prices, tiers });
  for (const name of settings.keys()) noteSetting(draft, name);
  return draft.finish(keyCommands(tokens.flatMap((token) => importToken(token, settings, draft))));
}

interface Context {
  ratios: Ratios;
  prices: ListPrices;
  /** The tier of each priority. */
  tiers: ReadonlyMap<number, number>;
}

/** A higher priority is tried first. */
function tiersOf(channels: readonly Channel[], draft: CatalogDraft): ReadonlyMap<number, number> {
  const priorities = [...new Set(channels.map(({ priority }) => priority ?? 0))];
  if (priorities.length > maxTiers)
    draft.note(`priorities: more than ${maxTiers}; the last are one`);
  return new Map(
    priorities
      .toSorted((one, other) => other - one)
      .map((priority, index) => [priority, Math.min(index + 1, maxTiers)]),
  );
}

function addChannel(draft: CatalogDraft, channel: Channel, context: Context): void {
  const { name, status, group } = channel;
  const type = channelTypes[channel.type];
  if (status !== enabled || type === undefined) {
    const reason = type === undefined ? `is of type ${channel.type}` : "is disabled";
    draft.note(`channel ${name}: ${reason}, and left out`);
    return;
  }
  if (group !== "default") draft.note(`channel ${name}: group ${group}; see plans of the catalog`);
  const mapping = readObject(channel.model_mapping);
  const provider = addProvider(draft, channel, type);
  for (const model of listOf(channel.models)) {
    const mapped = mapping[model] ?? model;
    const fields = fieldsOf(model, String(mapped), type, context);
    if (fields === undefined) {
      draft.note(`${model}: has no ModelRatio and no list price; see catalog suggest`);
      continue;
    }
    draft.addSlot(toAlias(model), fields, {
      provider,
      model: String(mapped),
      tier: context.tiers.get(channel.priority ?? 0) ?? 1,
      ...presentMembers({ weight: channel.weight ? Math.min(channel.weight, 1_000) : undefined }),
    });
  }
}

function addProvider(draft: CatalogDraft, channel: Channel, type: ChannelType): string {
  const { name, base_url: own } = channel;
  const variable = `${name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")}_KEY`;
  draft.note(`channel ${name}: its key is not copied; put it into ${variable}`);
  const region = hasRegions(type.kind) ? assumedRegion : undefined;
  if (region !== undefined) draft.note(`channel ${name}: region is ${region}; set its own`);
  const url = own ? baseUrlOf(own, type.path) : type.base_url;
  return draft.addProvider({
    name,
    ...presentMembers({
      kind: type.kind,
      base_url: url,
      region,
      api_key_env: variable,
    }),
  });
}

interface Ratios {
  model: Readonly<Record<string, unknown>>;
  completion: Readonly<Record<string, unknown>>;
  cache: Readonly<Record<string, unknown>>;
}

function readRatios(settings: ReadonlyMap<string, string>): Ratios {
  const read = (name: string) => readObject(settings.get(name));
  return {
    model: read("ModelRatio"),
    completion: read("CompletionRatio"),
    cache: read("CacheRatio"),
  };
}

function fieldsOf(alias: string, model: string, type: ChannelType, { ratios, prices }: Context) {
  const listed = findListedModel(type.listed, model, prices);
  const routeType = listed?.route_type ?? (/embed/i.test(alias) ? "embeddings" : "chat");
  const pricing = pricingOf(alias, routeType, type, ratios) ?? listed?.pricing;
  if (pricing === undefined) return undefined;
  const window = listed?.context_tokens;
  if (routeType === "embeddings") {
    return { route_type: routeType, ...presentMembers({ context_tokens: window }), pricing };
  }
  const { max_output_tokens: limit = maxOutputTokens, reasoning } = listed ?? {};
  const limits = { context_tokens: window ?? contextTokens, max_output_tokens: limit };
  return { route_type: routeType, ...limits, ...presentMembers({ reasoning }), pricing };
}

function pricingOf(alias: string, routeType: string, { kind }: ChannelType, ratios: Ratios) {
  const ratio = numberOf(ratios.model[alias]);
  if (ratio === undefined) return undefined;
  const input = multiply(ratio, usdPerRatio);
  if (routeType === "embeddings") return { input };
  const cache = numberOf(ratios.cache[alias]);
  return presentMembers({
    input,
    cached_input: cache === undefined ? undefined : multiply(input, cache),
    cache_write_1h: hourlyPriceOf(kind, input),
    output: multiply(input, numberOf(ratios.completion[alias]) ?? 1),
  });
}

function importToken(
  token: Token,
  settings: ReadonlyMap<string, string>,
  draft: CatalogDraft,
): ImportedKey[] {
  const { name, status, user_id: user, expired_time: expires } = token;
  if (status !== enabled) {
    draft.note(`token ${name}: is disabled, and left out`);
    return [];
  }
  if (token.allow_ips) draft.note(`token ${name}: allow_ips`);
  if (token.group && token.group !== "default") draft.note(`token ${name}: group ${token.group}`);
  const perUsd = numberOf(settings.get("QuotaPerUnit")) ?? defaultQuotaPerUsd;
  const limits = token.model_limits_enabled ? listOf(token.model_limits ?? "") : [];
  return [
    {
      account: user === undefined ? "new-api" : `user-${user}`,
      name,
      ...presentMembers({
        budget: token.unlimited_quota ? undefined : `${usdOf(token.remain_quota, perUsd)}/total`,
        expires: expires > 0 ? new Date(expires * 1_000).toISOString() : undefined,
        models: limits.length === 0 ? undefined : limits.map(toAlias),
      }),
    },
  ];
}

/** Returns quota in USD, rounded down to a micro-USD. */
function usdOf(quota: number, perUsd: number): string {
  const micro = (BigInt(Math.max(0, Math.floor(quota))) * 1_000_000n) / BigInt(Math.round(perUsd));
  return shiftPoint(String(micro), -6);
}

const carriedSettings = ["ModelRatio", "CompletionRatio", "CacheRatio", "QuotaPerUnit"];
/** Settings that change what clients are served or pay. All others are of its own pages. */
const notedSettings = /Ratio|Price|Group|RateLimit|Sensitive|Retry/;

function noteSetting(draft: CatalogDraft, name: string): void {
  if (!carriedSettings.includes(name) && notedSettings.test(name)) draft.note(`option ${name}`);
}

function listOf(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== "");
}

function readObject(text: string | null | undefined): Record<string, unknown> {
  if (!text) return {};
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined;
}
