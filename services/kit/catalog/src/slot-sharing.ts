import { z } from "zod";

/**
 * How the slots of a tier share requests: by their weights, to the one with the fewest calls in progress,
 * or to the one that responds the fastest.
 */
export const balances = ["weight", "least_busy", "latency"] as const;
export type Balance = (typeof balances)[number];

/** How much of the traffic of a model a slot takes, and what it does with a call that fails. */
export interface SlotSharing {
  /** Slots of the same tier share requests. One without a tier is a tier of its own. */
  tier?: number | undefined;
  weight?: number | undefined;
  /** Present where the calls of the slot are counted: for its limits, or for the balance of its model. */
  limits?: SlotLimits | undefined;
  /** The context window of the provider's model, where its model falls back by that. */
  contextTokens?: number | undefined;
  /** How often a call for a whole response is made again. Default: never. */
  retries?: number | undefined;
}

/** What a slot may be sent. Each process counts its own calls. */
export interface SlotLimits {
  requestsPerMinute?: number | undefined;
  tokensPerMinute?: number | undefined;
  parallel?: number | undefined;
}

/** The weight of a slot or a key for which the catalog has none. */
export const defaultWeight = 1;
/** A weight, for distributions as uneven as 1 to 1,000. */
export const weightSchema = z.int().min(1).max(1_000);

/** The fields of a slot that say how it shares load. */
export const slotSharingFields = {
  tier: z.int().min(1).max(16).optional(),
  weight: weightSchema.optional(),
  requests_per_minute: z.int().min(1).optional(),
  tokens_per_minute: z.int().min(1).optional(),
  parallel: z.int().min(1).optional(),
  context_tokens: z.int().min(1).max(100_000_000).optional(),
  retries: z.int().min(0).max(5).optional(),
};
