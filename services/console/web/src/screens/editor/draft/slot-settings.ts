import { type DraftEntry, toEntry } from "./document.ts";
import { routeForms } from "./route-fields.ts";

/** A setting of a slot that is a whole number. */
export interface SlotNumber {
  name: string;
  label: string;
  max: number;
}

/** Returns the numbers that a slot of a route type may have. */
export function slotNumbersOf(routeType: string): readonly SlotNumber[] {
  const countsTokens = routeType === "chat" || routeType === "embeddings";
  return countsTokens ? numbers : numbers.filter(({ name }) => name !== "tokens_per_minute");
}

const most = 1_000_000_000;
const numbers: readonly SlotNumber[] = [
  { name: "tier", label: "Tier", max: 16 },
  { name: "weight", label: "Weight in its tier", max: 1_000 },
  { name: "requests_per_minute", label: "Requests a minute", max: most },
  { name: "tokens_per_minute", label: "Tokens a minute", max: most },
  { name: "parallel", label: "In progress at most", max: most },
];

/** Returns the names of the costs that the form of a slot has. Other costs stay as they are. */
export function costNamesOf(routeType: string, cost: unknown): readonly string[] {
  const { prices = [], requiredPrices = [] } = routeForms[routeType] ?? {};
  const present = toEntry(cost);
  return prices.filter((name) => requiredPrices.includes(name) || present[name] !== undefined);
}

/**
 * Returns the cost of a slot with one of its prices changed. A cost without any price is undefined. A new cost is
 * for as many units as the prices that clients pay are.
 */
export function withCost(
  entry: DraftEntry,
  change: { name: string; price: string; per: number | undefined },
): DraftEntry {
  const { name, price, per } = change;
  const { per: ownPer = per, ...prices } = withValue(toEntry(entry.cost), name, price || undefined);
  const cost = { ...(ownPer === undefined ? {} : { per: ownPer }), ...prices };
  return withValue(entry, "cost", Object.keys(prices).length === 0 ? undefined : cost);
}

/** Returns an entry with a value at a name; without the name where the value is undefined. */
export function withValue(entry: DraftEntry, name: string, value: unknown): DraftEntry {
  if (value !== undefined) return { ...entry, [name]: value };
  const { [name]: _, ...others } = entry;
  return others;
}

/** Returns whether a slot has any of the settings of its form. */
export function hasSettings(entry: DraftEntry): boolean {
  return ["cost", ...numbers.map(({ name }) => name)].some((name) => entry[name] !== undefined);
}
