import type { Model, Pricing, Slot } from "@tollgate/catalog/model";
import { costOf, type NanoUsd, unitsFor } from "@tollgate/core/money";
import { dearestCost } from "@tollgate/generation/estimate";
import type { ChatCall, PromptSize } from "@tollgate/proto/tollgate/v1/chat";

/** What an image part takes of a prompt, in tokens, where the catalog does not say the most. */
const usualImageTokens = 1_200;
/** What a message's frame takes at the most. */
const tokensAMessage = 16n;

/** The most that a call can use: no token is shorter than a byte. */
export interface Bound {
  promptTokens: bigint;
  /** The output ceiling, a choice. */
  maxTokens: bigint;
  choices: bigint;
}

export function boundOf(
  call: ChatCall,
  model: Model,
  prompt: Pick<PromptSize, "textBytes" | "messages" | "imageParts"> | undefined = call.prompt,
): Bound {
  const { textBytes = 0n, messages = 0, imageParts = 0 } = prompt ?? {};
  const tokensAnImage = BigInt(model.imageTokens ?? usualImageTokens);
  return {
    promptTokens:
      textBytes + BigInt(messages) * tokensAMessage + BigInt(imageParts) * tokensAnImage,
    maxTokens: call.maxTokens ?? BigInt(model.maxOutputTokens ?? 0),
    choices: BigInt(call.choices),
  };
}

/** The cost of the bound, as the hold has to cover it. */
export function estimateOf(bound: Bound, model: Model): NanoUsd {
  return dearestCost(model, (pricing) => costOfBound(bound, pricing));
}

/**
 * The output ceiling that the provider is sent, a choice: the bound's own, or less where the hold
 * pays for less. At least 1, since a provider takes no less.
 */
export function affordableTokens(bound: Bound, slot: Slot, held: NanoUsd): bigint {
  const { input, output } = slot.pricing;
  if (output === undefined || output.picoUsd === 0n) return bound.maxTokens;
  if (costOfBound(bound, slot.pricing) <= held) return bound.maxTokens;
  const promptCost = costOf([{ quantity: bound.promptTokens, price: input }]);
  const affordable = unitsFor(held - promptCost, output) / bound.choices;
  return affordable < 1n ? 1n : affordable;
}

function costOfBound(bound: Bound, pricing: Pricing): NanoUsd {
  const { input, output } = pricing;
  const prompt = { quantity: bound.promptTokens, price: input };
  if (output === undefined) return costOf([prompt]);
  return costOf([prompt, { quantity: bound.maxTokens * bound.choices, price: output }]);
}
