import { z } from "zod";

/**
 * How the slots of a tier share requests: by their weights, to the one with the fewest calls in progress,
 * or to the one that responds the fastest.
 */
export const balances = ["weight", "least_busy", "latency"] as const;
export type Balance = (typeof balances)[number];

/** A slot's share of the requests of its model, its limits and its retries. */
export interface SlotSharing {
  /** Slots of the same tier share requests. One without a tier is a tier of its own. */
  tier?: number | undefined;
  weight?: number | undefined;
  /** Set if the calls of the slot are counted, for its limits or for the balance of its model. */
  limits?: SlotLimits | undefined;
  /** The context window of the provider's model, if the model falls back by context length. */
  contextTokens?: number | undefined;
  /** How often a failed call for a whole response is retried. Default: never. */
  retries?: number | undefined;
}

/** The limits of a slot. All processes share them. */
export interface SlotLimits {
  requestsPerMinute?: number | undefined;
  tokensPerMinute?: number | undefined;
  parallel?: number | undefined;
}

/** The weight of a slot or a key whose entry has none. */
export const defaultWeight = 1;
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
