import type { Model } from "@tollgate/catalog/model";
import { costOf } from "@tollgate/core/money";
import { highestCost, highestCostOfUnits } from "@tollgate/generation/estimate";
import { audioTokenRate, measureTokens, mostTokensOfSeconds } from "./transcript-tokens.ts";

/**
 * Returns what a transcription of so many seconds must hold, and the tokens that count against a limit of
 * tokens per minute.
 */
export function estimateFile(model: Model, seconds: number, prompt: string) {
  if (model.unitType !== "tokens") {
    return { estimate: highestCostOfUnits(model, BigInt(Math.max(1, Math.ceil(seconds)))) };
  }
  const most = mostTokensOfSeconds(seconds, prompt, audioTokenRate(model));
  const costAt = (pricing: Model["pricing"]) => costOf(measureTokens(most, { pricing }, "").lines);
  return { estimate: highestCost(model, costAt), tokens: most.text + most.audio + most.output };
}
