import type { Commands } from "../commands.ts";
import type { Usage } from "./generation.ts";

/** The simulated provider's own prices, in USD per token. */
const PROMPT_USD = 0.000_000_1;
const COMPLETION_USD = 0.000_000_4;

/** Returns the usage fields of a completion or a chunk; none with the `no_usage` command. */
export function reportUsage(
  { promptTokens, completionTokens, reasoningTokens = 0 }: Usage,
  commands: Commands,
): object {
  if (commands.no_usage) return {};
  if (commands.usage_block !== undefined) return { usage: commands.usage_block };
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
  if (!commands.cost) return { usage };
  const prompt = dollars(promptTokens * PROMPT_USD);
  const completion = dollars(completionTokens * COMPLETION_USD);
  const cost = dollars(prompt + completion);
  const details = { prompt_cost: prompt, completion_cost: completion };
  return { usage: { ...usage, cost, cost_details: details }, cost };
}

/** Rounds to 10⁻⁷ USD, the precision of the prices. */
function dollars(value: number): number {
  return Number(value.toFixed(7));
}
