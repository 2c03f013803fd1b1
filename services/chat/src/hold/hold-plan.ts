import type { Model, Slot } from "@tollgate/catalog/model";
import { highestPrices, pricesAt } from "@tollgate/catalog/pricing";
import { minOf, type NanoUsd } from "@tollgate/core/money";
import type { Generation } from "@tollgate/generation/generation";
import { Admission } from "@tollgate/proto/tollgate/v1/caller";
import type { ChatCall } from "@tollgate/proto/tollgate/v1/chat";
import {
  affordableTokens,
  type Bound,
  boundOf,
  estimateOf,
  type PricesOf,
  type PromptBytes,
} from "./estimate.ts";

/** Output tokens of each choice that a stream holds at its start, and adds each time. */
export const sliceTokens = 2_048n;
/** Text has three bytes a token or more: English has about four, source code a little over three. */
export const likelyBytesPerToken = 3n;

/** What is held for a chat call, by the admission policy of its account. */
export interface HoldPlan {
  /** The tokens that the call uses at most; with `likely`, those that its prompt likely has. */
  bound: Bound;
  estimate: NanoUsd;
  /** See `BillableCall`. Only with `likely`. */
  least?: NanoUsd;
  /** See `BillableCall`: the likely cost of its prompt, half of it cached, and of the least output. */
  aloneBelow: NanoUsd;
  /** See `BillableCall`. What a tool costs that the provider runs is not limited by what is held. */
  isWhole: boolean;
  /** The tokens that the call is likely to use; with `strict` and `whole`, the most. */
  tokens: bigint;
  /** Whether the hold grows as the response is delivered. */
  isGrowing: boolean;
  /**
   * The prices of the estimate. With `likely`, those of input and output: the prompts of agents are
   * mostly read from a cache, and some written to it for more than `input`.
   */
  pricesOf: PricesOf;
}

/** A tool of a request that the provider runs, and the most calls that the request allows. */
export interface OfferedTool {
  tool: string;
  maxCalls: bigint | undefined;
}

/** The calls of a tool that are held where a request sets no limit. */
const assumedCalls = 10n;

/**
 * Returns what is held for a call. `prompt` is the call's, with the conversation that it continues, and
 * `offered` are the tools that its provider runs.
 */
export function planHold(
  call: ChatCall,
  model: Model,
  prompt: PromptBytes | undefined = call.prompt,
  isStream: boolean,
  offered: readonly OfferedTool[] = [],
): HoldPlan {
  const { admission = Admission.UNSPECIFIED } = call.caller ?? {};
  const isMost = admission === Admission.STRICT || admission === Admission.WHOLE;
  const bound = withTools(boundOf(call, model, prompt), offered, isMost);
  const isWhole = offered.length > 0;
  const textBytes = prompt?.textBytes ?? 0n;
  const textTokens = (textBytes + likelyBytesPerToken - 1n) / likelyBytesPerToken;
  const likely = { ...bound, promptTokens: bound.promptTokens - textBytes + textTokens };
  const aloneBelow = estimateOf({ ...leastBound(likely), maxTokens: 1n }, model, pricesAt);
  if (isMost) {
    const plan = { bound, aloneBelow, isWhole, tokens: tokensOf(bound), pricesOf: highestPrices };
    return { ...plan, estimate: estimateOf(bound, model), isGrowing: false };
  }
  const slice = { ...likely, maxTokens: minOf(likely.maxTokens, sliceTokens) };
  const plan = { bound: likely, aloneBelow, isWhole, tokens: tokensOf(slice), pricesOf: pricesAt };
  if (!isStream) {
    return { ...plan, estimate: estimateOf(likely, model, pricesAt), isGrowing: false };
  }
  const estimate = estimateOf(slice, model, pricesAt);
  if (isWhole) return { ...plan, estimate, isGrowing: true };
  // Half of it in whole micro-USD, rounded up: a response may report what is held.
  const least = ((estimate + 1_999n) / 2_000n) * 1_000n;
  return { ...plan, estimate, least, isGrowing: true };
}

/** The likely number of calls of a tool is one. */
function withTools(bound: Bound, offered: readonly OfferedTool[], isMost: boolean): Bound {
  if (offered.length === 0) return bound;
  const toolCalls = offered.map(({ tool, maxCalls = assumedCalls }) => {
    return { tool, quantity: isMost ? maxCalls : minOf(maxCalls, 1n) };
  });
  return { ...bound, toolCalls };
}

function tokensOf({ promptTokens, maxTokens, choices }: Bound): bigint {
  return promptTokens + maxTokens * choices;
}

/**
 * Returns the tokens that a growing hold is certain to need: a cached prompt costs a fraction of
 * its price. A stream is not cut short for money that its prompt may leave.
 */
export function leastBound(bound: Bound): Bound {
  const { promptTokens, audioTokens } = bound;
  const half = { ...bound, promptTokens: promptTokens / 2n };
  return audioTokens === undefined ? half : { ...half, audioTokens: audioTokens / 2n };
}

/**
 * Returns the output ceiling of each choice that the provider is sent.
 *
 * A growing hold says little about it. What is known at admission without another call is the
 * wallet's balance, which the hold cannot grow beyond: money that other requests hold now may be
 * released while the response is generated. A part of a shared hold is taken without the ledger,
 * but only from wallets that have many times its amount.
 */
export function ceilingOf(
  { bound, isGrowing, pricesOf }: HoldPlan,
  slot: Slot,
  { held, walletBalance }: Pick<Generation, "held" | "walletBalance">,
): bigint {
  if (!isGrowing) return affordableTokens(bound, slot, held, pricesOf);
  if (walletBalance === undefined) return bound.maxTokens;
  return affordableTokens(leastBound(bound), slot, walletBalance, pricesOf);
}

/**
 * Returns the most tokens of output that are billed: the ceiling of all choices. What a provider
 * generates beyond it was neither held nor requested.
 */
export function billedOutput(
  plan: HoldPlan,
  slot: Slot,
  generation: Pick<Generation, "held" | "walletBalance">,
): bigint {
  return ceilingOf(plan, slot, generation) * plan.bound.choices;
}
