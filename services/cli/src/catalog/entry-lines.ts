import { dataSet, type ListPrice } from "@tollgate/list-prices/list-prices";
import { otherPriceText } from "@tollgate/list-prices/price-text";

/** A model of the catalog file. */
export interface SuggestedModel {
  alias: string;
  route_type: "chat" | "embeddings";
  context_tokens?: number;
  max_output_tokens?: number;
  reasoning?: "hidden";
  passes?: readonly string[];
  pricing: Readonly<Record<string, string | readonly TierEntry[]>>;
  chain: readonly { provider: string; model: string }[];
}

type TierEntry = Readonly<Record<string, string | number>>;

const indent = "  ";
const maxColumns = 100;
const maxNoteLength = 280;

/** Returns the lines of an entry as the file has them under `models`, with comments before it. */
export function entryLines(entry: SuggestedModel, listPrice: ListPrice): string[] {
  const comments = commentsOf(entry, listPrice).flatMap(wrapped);
  const yaml = yamlOf(entry, listPrice).map(
    (line, at) => `${indent}${at === 0 ? "- " : "  "}${line}`,
  );
  return [...comments, ...yaml];
}

function commentsOf({ pricing }: SuggestedModel, listPrice: ListPrice): string[] {
  const { title, provider, model, source, since, note, isPeak, rates } = listPrice;
  const from = since === undefined ? "" : ` since ${since}`;
  const others = [...rates]
    .filter(([dimension]) => pricing[dimension] === undefined)
    .map(([dimension, price]) => otherPriceText(dimension, price));
  const isPerCall = Object.keys(pricing).some((dimension) => dimension.startsWith("tool:"));
  const units = `per million tokens${isPerCall ? ", and per call of a tool" : ""}`;
  return [
    `${title} (${provider}/${model}): list prices${from}, in USD ${units}.`,
    `${source ?? provider}, as in ${dataSet}.`,
    isPeak ? "The provider bills less at some hours of the day." : "",
    others.length === 0 ? "" : `Also billed by the provider: ${others.join(", ")}.`,
    shortened(note ?? ""),
  ].filter((sentence) => sentence !== "");
}

/** Notes of the data set can be long. */
function shortened(note: string): string {
  if (note.length <= maxNoteLength) return note;
  return `${note.slice(0, note.lastIndexOf(" ", maxNoteLength))} …`;
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

function yamlOf(
  { pricing: { tiers = [], ...prices }, chain, ...fields }: SuggestedModel,
  { contextTokens }: ListPrice,
): string[] {
  const assumed = ["max_output_tokens", ...(contextTokens === undefined ? ["context_tokens"] : [])];
  const members = Object.entries(fields).map(([name, value]) => {
    const comment = assumed.includes(name) ? " # Not in the data set: check it." : "";
    if (Array.isArray(value)) return `${name}: [${value.join(", ")}]${comment}`;
    return `${name}: ${typeof value === "string" ? scalar(value) : value}${comment}`;
  });
  const tierLines = (typeof tiers === "string" ? [] : tiers).flatMap((tier) =>
    pricesOf(tier).map((line, at) => `${at === 0 ? "    - " : "      "}${line}`),
  );
  const slots = chain.map(
    ({ provider, model }) => `  - { provider: ${scalar(provider)}, model: ${scalar(model)} }`,
  );
  return [
    ...members,
    "pricing:",
    ...pricesOf(prices).map((line) => `  ${line}`),
    ...(tierLines.length === 0 ? [] : ["  tiers:", ...tierLines]),
    "chain:",
    ...slots,
  ];
}

function pricesOf(prices: object): string[] {
  return Object.entries(prices).map(([name, price]) => `${name}: ${JSON.stringify(price)}`);
}

/** Quotes a text that YAML could read as something else. */
function scalar(text: string): string {
  const isPlain = /^[A-Za-z][A-Za-z0-9._/-]*$/.test(text) && !/^(true|false|null)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
