import { presentMembers } from "./catalog-draft.ts";
import { shiftPoint } from "./decimal.ts";
import { hourlyPriceOf } from "./kinds.ts";
import type { Deployment } from "./litellm-config.ts";
import type { LiteLlmVendor } from "./litellm-vendors.ts";

/** Returns the prices that a deployment sets itself, or undefined where it sets none for its route. */
export function pricingOf(
  { litellm_params: params, model_info: info }: Deployment,
  routeType: string,
  { kind }: LiteLlmVendor,
): Record<string, string | number> | undefined {
  const cost = { ...info, ...params };
  if (routeType === "chat" || routeType === "embeddings") {
    const { input_cost_per_token: input, output_cost_per_token: output } = cost;
    if (input === undefined) return undefined;
    if (routeType === "embeddings") return { input: perMillion(input) };
    return presentMembers({
      input: perMillion(input),
      cached_input: optional(cost.cache_read_input_token_cost),
      cache_write: optional(cost.cache_creation_input_token_cost),
      cache_write_1h: hourlyPriceOf(kind, perMillion(input)),
      output: perMillion(output ?? 0),
    }) as Record<string, string>;
  }
  const unit = {
    images: cost.output_cost_per_image,
    rerank: cost.input_cost_per_query,
    transcriptions: cost.input_cost_per_second,
  }[routeType];
  if (unit !== undefined) return { per: 1, price: shiftPoint(unit, 0) };
  const { input_cost_per_character: character } = cost;
  if (routeType !== "speech" || character === undefined) return undefined;
  return { per: 1_000_000, price: perMillion(character) };
}

function perMillion(cost: number): string {
  return shiftPoint(cost, 6);
}

function optional(cost: number | undefined): string | undefined {
  return cost === undefined ? undefined : perMillion(cost);
}
