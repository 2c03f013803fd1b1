import type { Model, Prices, Pricing, Slot } from "@tollgate/catalog/model";
import { highestPrices } from "@tollgate/catalog/pricing";
import { costOf, type NanoUsd, type PricedQuantity, unitsFor } from "@tollgate/core/money";
import { highestCost } from "@tollgate/generation/estimate";
import type { ChatCall, PromptSize } from "@tollgate/proto/tollgate/v1/chat";
import type { ToolCalls } from "@tollgate/providers/chat-usage";

/** Tokens of media where the catalog does not state a maximum. */
const defaultImageTokens = 1_200;
const defaultPageTokens = 3_000;
const defaultAudioTokensPerSecond = 32;
/** The most tokens that a message takes besides its text. */
const tokensPerMessage = 16n;

/** The most tokens that a call can use. A token is at least one byte. */
export interface Bound {
  promptTokens: bigint;
  /** Those of them that are audio. None by default. */
  audioTokens?: bigint;
  /** The output ceiling of each choice. */
  maxTokens: bigint;
  choices: bigint;
  /** The calls of tools that the provider runs. None by default. */
  toolCalls?: readonly ToolCalls[];
}

/** The sizes from which the tokens of a prompt are estimated. */
export type PromptBytes = Pick<PromptSize, "textBytes" | "messages" | "imageParts"> &
  Partial<Pick<PromptSize, "pages" | "audioSeconds">>;

export function boundOf(
  call: ChatCall,
  model: Model,
  prompt: PromptBytes | undefined = call.prompt,
): Bound {
  const { textBytes = 0n, messages = 0 } = prompt ?? {};
  const { seen, heard } = mediaTokens(prompt ?? noMedia, model);
  const audioTokens = BigInt(heard);
  return {
    promptTokens: audioTokens + textBytes + BigInt(messages) * tokensPerMessage + BigInt(seen),
    ...(audioTokens === 0n ? {} : { audioTokens }),
    maxTokens: call.maxTokens ?? BigInt(model.maxOutputTokens ?? 0),
    choices: BigInt(call.choices),
  };
}

/** What a prompt has besides text. */
type MediaSize = Pick<PromptBytes, "imageParts" | "pages" | "audioSeconds">;

const noMedia: MediaSize = { imageParts: 0 };

/**
 * Returns the most tokens of the images and documents of a prompt (`seen`), and of its audio (`heard`). The
 * number of pages may be estimated by size: more than the model's context would be refused by its provider.
 */
export function mediaTokens(
  { imageParts, pages = 0, audioSeconds = 0 }: MediaSize,
  model: Model,
): { seen: number; heard: number } {
  const { imageTokens = defaultImageTokens, pageTokens = defaultPageTokens } = model;
  const { audioTokensPerSecond = defaultAudioTokensPerSecond } = model;
  const mostOfPages = model.contextTokens ?? Number.MAX_SAFE_INTEGER;
  return {
    seen: imageParts * imageTokens + Math.min(pages * pageTokens, mostOfPages),
    heard: audioSeconds * audioTokensPerSecond,
  };
}

/**
 * The prices at which the tokens of a call are held: the highest ones (`highestPrices`), or those of
 * its tier (`pricesAt`).
 */
export type PricesOf = (
  pricing: Pricing,
  promptTokens: bigint,
) => Pick<Prices, "input" | "output" | "audio_input">;

/**
 * Returns the cost of the bound at the chain's most expensive slot. At the highest prices, it is what
 * the hold must cover.
 */
export function estimateOf(
  bound: Bound,
  model: Model,
  pricesOf: PricesOf = highestPrices,
): NanoUsd {
  return highestCost(model, (pricing) => costOfBound(bound, pricing, pricesOf));
}

/**
 * Returns the output ceiling of each choice that the provider is sent: the bound's, or less where
 * the hold pays for less at the prices of `pricesOf`. At least 1, the least that providers accept.
 */
export function affordableTokens(
  bound: Bound,
  { pricing }: Slot,
  held: NanoUsd,
  pricesOf: PricesOf = highestPrices,
): bigint {
  const prices = pricesOf(pricing, bound.promptTokens);
  const { output } = prices;
  if (output === undefined || output.picoUsd === 0n) return bound.maxTokens;
  if (costOfBound(bound, pricing, pricesOf) <= held) return bound.maxTokens;
  const promptCost = costOf([...promptCosts(bound, prices), ...toolCosts(bound, pricing)]);
  const affordable = unitsFor(held - promptCost, output) / bound.choices;
  return affordable < 1n ? 1n : affordable;
}

function costOfBound(bound: Bound, pricing: Pricing, pricesOf: PricesOf): NanoUsd {
  const prices = pricesOf(pricing, bound.promptTokens);
  const costs: PricedQuantity[] = promptCosts(bound, prices);
  const { output } = prices;
  if (output !== undefined) {
    costs.push({ quantity: bound.maxTokens * bound.choices, price: output });
  }
  if (bound.toolCalls !== undefined) costs.push(...toolCosts(bound, pricing));
  return costOf(costs);
}

/** Audio may cost many times what text does. */
function promptCosts(
  { promptTokens, audioTokens = 0n }: Bound,
  { input, audio_input = input }: Pick<Prices, "input" | "audio_input">,
): PricedQuantity[] {
  if (audioTokens === 0n) return [{ quantity: promptTokens, price: input }];
  return [
    { quantity: promptTokens - audioTokens, price: input },
    { quantity: audioTokens, price: audio_input },
  ];
}

function toolCosts({ toolCalls = [] }: Bound, { tools }: Pricing): PricedQuantity[] {
  return toolCalls.flatMap(({ tool, quantity }) => {
    const price = tools?.get(tool);
    return price === undefined ? [] : [{ quantity, price }];
  });
}
