import { type DraftDocument, type DraftEntry, toEntry } from "./document.ts";
import { fieldText } from "./model-chain.ts";

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

/** Returns the text of a catalog with one plan, and the models that it has prices for. */
export function catalogOfPlan(
  { providers, models }: Pick<DraftDocument, "providers" | "models">,
  name: string,
  plan: DraftEntry,
): string {
  const priced = toEntry(plan.models);
  return JSON.stringify({
    providers: Object.fromEntries(providers),
    models: models.filter(({ alias }) => Object.hasOwn(priced, fieldText(alias))),
    plans: { [name]: plan },
  });
}

/** Returns the text of a catalog with all providers and one model. */
export function catalogOfModel(
  providers: ReadonlyMap<string, DraftEntry>,
  model: DraftEntry,
): string {
  return JSON.stringify({ providers: Object.fromEntries(providers), models: [model] });
}
