import type { Price } from "@tollgate/core/money";
import { UsageError } from "../usage.ts";
import {
  dataSet,
  type ListPrice,
  type ListPrices,
  type Rates,
  wellKnownProviders,
} from "./list-prices.ts";
import { priceText, usdText } from "./price-text.ts";

/** A model's entry in the catalog, and how the file has it: indented, with comments. */
export interface Suggestion {
  entry: Entry;
  lines: readonly string[];
}

interface Entry {
  alias: string;
  route_type: "chat" | "embeddings";
  context_tokens?: number;
  max_output_tokens?: number;
  pricing: Readonly<Record<string, string>>;
  chain: readonly { provider: string; model: string }[];
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
    if (listPrice === undefined) {
      const similar = prices.similar(provider, model).join(", ");
      const hint = similar
        ? `similar names: ${similar}`
        : `some of its providers: ${wellKnownProviders.join(", ")}`;
      throw new UsageError(`${dataSet} has no prices of ${name}; ${hint}`);
    }
    const alias = freeAlias(model, name, aliases);
    aliases.add(alias);
    const entry = { alias, ...toEntry(name, listPrice), chain: [{ provider, model }] };
    return { entry, lines: [...comments(listPrice), ...yaml(entry, listPrice)] };
  });
}

function readName(name: string) {
  const [, provider = "", model = ""] = /^([a-z0-9][a-z0-9_-]{0,63})\/(.{1,256})$/.exec(name) ?? [];
  if (provider !== "") return { provider, model };
  throw new UsageError(`${name} must be a provider and a model, such as openai/gpt-4o`);
}

/** Returns the model's id, or the name with its provider where another entry has that alias. */
function freeAlias(model: string, name: string, taken: ReadonlySet<string>): string {
  const free = [model, name].map(aliasOf).find((alias) => !taken.has(alias));
  if (free !== undefined) return free;
  for (let number = 2; ; number += 1) {
    const alias = `${aliasOf(name).slice(0, 120)}-${number}`;
    if (!taken.has(alias)) return alias;
  }
}

/** Returns a model's id with a hyphen for what an alias must not have. */
function aliasOf(model: string): string {
  return model
    .replace(/^[^A-Za-z0-9]+/, "")
    .replace(/[^A-Za-z0-9._:/-]/g, "-")
    .slice(0, 128);
}

/** Ids of models that bill tokens, but not on a route whose prices are per token. */
const otherRoutes = /(^|[-/.])(tts|transcribe|realtime|live|rerank|whisper|moderation)/;

function toEntry(name: string, { model, rates, contextTokens: window }: ListPrice) {
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
      pricing: { input: priceText(input) },
    };
  }
  return {
    route_type: "chat" as const,
    context_tokens: window ?? contextTokens,
    max_output_tokens: maxOutputTokens,
    pricing: pricingOf(rates),
  };
}

const priced = ["input", "cached_input", "output"];

function pricingOf(rates: Rates): Record<string, string> {
  const prices = priced.flatMap((dimension): [string, string][] => {
    const price = rates.get(dimension);
    return price === undefined ? [] : [[dimension, priceText(price)]];
  });
  return Object.fromEntries(prices);
}

const indent = "  ";
const maxColumns = 100;
const maxNoteLength = 280;

function comments(listPrice: ListPrice): string[] {
  const { title, provider, model, source, since, note, isPeak } = listPrice;
  const from = since === undefined ? "" : ` since ${since}`;
  const sentences = [
    `${title} (${provider}/${model}): list prices${from}, in USD per million tokens.`,
    `${source ?? provider}, as in ${dataSet}.`,
    isPeak ? "The provider bills less at some hours of the day." : "",
    ...unpriced(listPrice),
    shortened(note ?? ""),
  ];
  return sentences.filter((text) => text !== "").flatMap(wrapped);
}

/** Notes of the data set can be long. */
function shortened(note: string): string {
  if (note.length <= maxNoteLength) return note;
  return `${note.slice(0, note.lastIndexOf(" ", maxNoteLength))} …`;
}

/** Returns a sentence for each price that the entry does not have. */
function unpriced({ rates, tiers }: ListPrice): string[] {
  const others = [...rates].filter(([dimension]) => !priced.includes(dimension));
  const list = (prices: Iterable<[string, Price]>) =>
    Array.from(prices, ([dimension, price]) => usdText(dimension, price)).join(", ");
  return [
    ...(others.length === 0 ? [] : [`Also billed by the provider: ${list(others)}.`]),
    ...tiers.map(
      ({ aboveInputTokens, rates: higher }) =>
        `With more than ${aboveInputTokens} input tokens: ${list(differing(higher, rates))}.`,
    ),
  ];
}

function differing(higher: Rates, rates: Rates): [string, Price][] {
  return [...higher].filter(([name, { picoUsd }]) => picoUsd !== rates.get(name)?.picoUsd);
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = `${indent}#`;
  for (const word of text.trim().split(/\s+/)) {
    if (line.length + 1 + word.length > maxColumns && line !== `${indent}#`) {
      lines.push(line);
      line = `${indent}#`;
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

function yaml(
  { pricing, chain, ...fields }: Entry,
  { contextTokens: window }: ListPrice,
): string[] {
  const unknown: Record<string, boolean> = {
    max_output_tokens: true,
    context_tokens: window === undefined,
  };
  const members = Object.entries(fields).map(([name, value]) => {
    const comment = unknown[name] ? " # Not in the data set: check it." : "";
    return `${name}: ${typeof value === "string" ? scalar(value) : value}${comment}`;
  });
  const prices = Object.entries(pricing).map(([name, price]) => `  ${name}: ${quoted(price)}`);
  const slots = chain.map(
    ({ provider, model }) => `  - { provider: ${scalar(provider)}, model: ${scalar(model)} }`,
  );
  const lines = [...members, "pricing:", ...prices, "chain:", ...slots];
  return lines.map((line, at) => `${indent}${at === 0 ? "- " : "  "}${line}`);
}

/** Quotes a text that YAML could read as something else. */
function scalar(text: string): string {
  const isPlain = /^[A-Za-z][A-Za-z0-9._/-]*$/.test(text) && !/^(true|false|null)$/i.test(text);
  return isPlain ? text : quoted(text);
}

const quoted = (text: string) => JSON.stringify(text);
