import { StartError } from "@tollgate/core/errors";
import { toolSwitches } from "./allowances.ts";
import type { Slot } from "./model.ts";
import type { ModelEntry } from "./schema.ts";
import { checkSharing } from "./sharing-entries.ts";
import { checkTranscriptionPrices } from "./transcription-prices.ts";

/** Throws a StartError where the slots of a model do not fit one another, or what its entry says. */
export function checkChain(entry: ModelEntry, chain: readonly Slot[], path: string): void {
  refuseAmbiguousIds(chain, path);
  checkSharing(entry, path);
  if ("token_input" in entry && entry.token_input) refuseTextOnly(chain, path);
  if (entry.route_type === "chat") requireHourlyPrices(chain, path);
  if (entry.route_type === "transcriptions") checkTranscriptionPrices(entry, chain, path);
  if ("allows" in entry) requireToolPrices(entry.allows, chain, path);
}

/**
 * Throws where two slots of a chain have the same id but different paths, because the id of a slot
 * names the slot that a pending OCR job is read from. Two slots with the same id and the same paths
 * are two attempts at one slot.
 */
function refuseAmbiguousIds(chain: readonly Slot[], path: string): void {
  for (const [index, slot] of chain.entries()) {
    const first = chain.findIndex(({ id }) => id === slot.id);
    if (pathsOf(chain[first] as Slot) === pathsOf(slot)) continue;
    const problem = `has the id ${slot.id} of chain[${first}], but another path`;
    throw new StartError(`${path}.chain[${index}]: ${problem}: name its provider twice`);
  }
}

function pathsOf({ path, jobsPath, voicesPath, stream }: Slot): string {
  return JSON.stringify([path, jobsPath, voicesPath, stream]);
}

/** Throws where a slot's kind bills hourly cache writes, and the slot has not their price. */
function requireHourlyPrices(chain: readonly Slot[], path: string): void {
  for (const [index, { pricing, provider }] of chain.entries()) {
    if (!provider.kind.billsHourlyCacheWrites) continue;
    const prices = [pricing, ...(pricing.tiers ?? [])];
    if (prices.every(({ cache_write_1h }) => cache_write_1h !== undefined)) continue;
    const problem = `must have a price of cache_write_1h, in its tiers too`;
    const reason = `providers of the kind ${provider.kind.name} bill it apart`;
    throw new StartError(`${path}.chain[${index}]: ${problem}, since ${reason}`);
  }
}

/** Throws where a provider's kind takes no token ids. */
function refuseTextOnly(chain: readonly Slot[], path: string): void {
  for (const { provider } of chain) {
    const { name, kind } = provider;
    if (kind.takesTokens) continue;
    const problem = `"${name}" is of the kind ${kind.name}, which takes text only`;
    throw new StartError(`${path}.token_input: must not be set, since ${problem}`);
  }
}

/** Throws where a slot has no price for a tool that the model allows and the provider runs. */
function requireToolPrices(allows: readonly string[], chain: readonly Slot[], path: string): void {
  for (const [index, name] of allows.entries()) {
    if (!toolSwitches.has(name)) continue;
    const slot = chain.find(({ pricing }) => pricing.tools?.has(name) !== true);
    if (slot === undefined) continue;
    const problem = `${slot.id} has no price "tool:${name}", which each call of the tool costs`;
    throw new StartError(`${path}.allows[${index}]: must not be ${name}, since ${problem}`);
  }
}
