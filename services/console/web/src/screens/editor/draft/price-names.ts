import { type DraftEntry, toEntry } from "./document.ts";
import { routeForms } from "./route-fields.ts";

/** Returns the names of the prices that a form has: those of the route, and those that are set. */
export function priceNamesOf(routeType: string, pricing: unknown): readonly string[] {
  const present = toEntry(pricing);
  const set = Object.keys(present).filter((name) => name !== "per" && !isList(present[name]));
  return [...new Set([...routePricesOf(routeType, present), ...set])];
}

/** Returns whether there are prices without a field, as those of long prompts. */
export function hasFurtherPrices(pricing: unknown): boolean {
  return Object.values(toEntry(pricing)).some(isList);
}

/** Returns the name of a price for people. The price of a tool is that of a call. */
export function priceLabel(name: string): string {
  const tool = /^tool:(.*)$/.exec(name)?.[1];
  return (tool === undefined ? name : `${tool}, a call`).replaceAll("_", " ");
}

/** A transcription is priced by its tokens where it has such prices already. */
function routePricesOf(routeType: string, present: DraftEntry): readonly string[] {
  if (routeType === "transcriptions" && "input" in present) {
    return ["input", "audio_input", "output"];
  }
  return routeForms[routeType]?.prices ?? [];
}

function isList(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
