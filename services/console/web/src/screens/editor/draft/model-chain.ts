import type { DraftEntry } from "./document.ts";

/** A slot of a chain. What the form does not show stays in `entry`. */
export interface ChainSlot {
  provider: string;
  model: string;
  entry: DraftEntry;
}

/** Returns the slots of a model. What is no slot is left out. */
export function slotsOf({ chain }: DraftEntry): ChainSlot[] {
  if (!Array.isArray(chain)) return [];
  return chain.flatMap((slot: unknown) => {
    if (typeof slot !== "object" || slot === null) return [];
    const entry = slot as DraftEntry;
    return [{ provider: fieldText(entry.provider), model: fieldText(entry.model), entry }];
  });
}

/** Returns the names of the providers of a model. */
export function providersOf(model: DraftEntry): string[] {
  return slotsOf(model).map(({ provider }) => provider);
}

/** Returns a value as a field shows it: what is not set is empty. */
export function fieldText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
