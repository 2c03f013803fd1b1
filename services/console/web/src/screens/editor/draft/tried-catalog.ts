import type { DraftEntry } from "./document.ts";

/**
 * Returns the text of a catalog with one provider alone, so that a key that is tried goes to it and to
 * no other, and errors elsewhere in the draft do not matter.
 */
export function catalogOfProvider(
  name: string,
  provider: DraftEntry,
  models: DraftEntry[] = [],
): string {
  return JSON.stringify({ providers: { [name]: provider }, models });
}

/** Returns the text of a catalog with one model, which has one slot of its chain. */
export function catalogOfSlot(
  name: string,
  provider: DraftEntry,
  model: DraftEntry,
  slot: unknown,
): string {
  return catalogOfProvider(name, provider, [{ ...model, chain: [slot] }]);
}

/** Returns the text of a catalog with one plan alone. */
export function catalogOfPlan(name: string, plan: DraftEntry): string {
  return JSON.stringify({ providers: {}, models: [], plans: { [name]: plan } });
}

/** Returns the text of a catalog with all providers and one model. */
export function catalogOfModel(
  providers: ReadonlyMap<string, DraftEntry>,
  model: DraftEntry,
): string {
  return JSON.stringify({ providers: Object.fromEntries(providers), models: [model] });
}
