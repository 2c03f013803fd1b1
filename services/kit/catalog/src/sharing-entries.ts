import { StartError } from "@tollgate/core/errors";
import type { Model } from "./model.ts";
import type { ModelEntry } from "./schema.ts";
import type { SlotLimits, SlotSharing } from "./slot-sharing.ts";

type SlotEntry = ModelEntry["chain"][number];

/** Returns how a slot of a model shares load. */
export function slotSharingOf(slot: SlotEntry, entry: ModelEntry): SlotSharing {
  const { tier, weight, retries } = slot;
  const limits: SlotLimits = {
    requestsPerMinute: slot.requests_per_minute,
    tokensPerMinute: slot.tokens_per_minute,
    parallel: slot.parallel,
  };
  const isCounted = Object.values(limits).some((limit) => limit !== undefined);
  const isMeasured = entry.balance === "least_busy" || entry.balance === "latency";
  return {
    ...(tier === undefined ? {} : { tier }),
    ...(weight === undefined ? {} : { weight }),
    ...(isCounted || (isMeasured && tier !== undefined) ? { limits } : {}),
    ...(fallsBack(entry) ? { contextTokens: slot.context_tokens ?? entry.context_tokens } : {}),
    ...(retries === undefined || retries === 0 ? {} : { retries }),
  };
}

/** Returns how the slots of a model share load. */
export function modelSharingOf(entry: ModelEntry): Pick<Model, "balance" | "fallsBackByContext"> {
  const isShared = entry.chain.some(({ tier }, at) => at > 0 && sameTier(entry.chain, at, tier));
  return {
    ...(isShared ? { balance: entry.balance ?? "weight" } : {}),
    ...(fallsBack(entry) ? { fallsBackByContext: true } : {}),
  };
}

type ChatEntry = Extract<ModelEntry, { route_type: "chat" }>;

function fallsBack(entry: ModelEntry): entry is ChatEntry {
  return entry.route_type === "chat" && entry.fallback_on.length > 0;
}

function sameTier(chain: readonly SlotEntry[], at: number, tier: number | undefined): boolean {
  return tier !== undefined && chain[at - 1]?.tier === tier;
}

/** Throws a StartError for a setting that has no effect, or contradicts another one. */
export function checkSharing(entry: ModelEntry, path: string): void {
  checkTiers(entry, path);
  const countsTokens = entry.route_type === "chat" || entry.route_type === "embeddings";
  for (const [index, slot] of entry.chain.entries()) {
    const field = `${path}.chain[${index}]`;
    if (slot.weight !== undefined && slot.tier === undefined) {
      throw new StartError(`${field}.weight: must not be set without a tier`);
    }
    if (slot.tokens_per_minute !== undefined && !countsTokens) {
      const problem = `must not be set, since ${entry.route_type} counts no tokens`;
      throw new StartError(`${field}.tokens_per_minute: ${problem}`);
    }
    if (slot.context_tokens === undefined) continue;
    if (!fallsBack(entry)) {
      const problem = "must not be set without fallback_on: [context_length] of the model";
      throw new StartError(`${field}.context_tokens: ${problem}`);
    }
    if (slot.context_tokens <= entry.context_tokens) continue;
    const problem = `must not be more than those of the model, which are ${entry.context_tokens}`;
    throw new StartError(`${field}.context_tokens: ${problem}`);
  }
}

function checkTiers({ chain, balance }: ModelEntry, path: string): void {
  let highest = 0;
  for (const [index, { tier }] of chain.entries()) {
    if (tier === undefined) continue;
    const isApart = index > 0 && tier === highest && chain[index - 1]?.tier !== tier;
    if (tier < highest || isApart) {
      const problem = "slots of a tier stand together, and tiers in the order of their numbers";
      throw new StartError(`${path}.chain[${index}].tier: must not be ${tier} here: ${problem}`);
    }
    highest = tier;
  }
  if (balance === undefined || highest > 0) return;
  throw new StartError(`${path}.balance: must not be set, since no slot has a tier`);
}
