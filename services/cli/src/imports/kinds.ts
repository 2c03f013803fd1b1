import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { vendors } from "@tollgate/providers";
import { multiply } from "./decimal.ts";

/** The region of providers that need one and whose configuration has none. */
export const assumedRegion = "us-east-1";

/** Returns whether providers of a kind have regions. */
export function hasRegions(kind: string | undefined): boolean {
  return kindOf(kind)?.regions !== undefined;
}

/**
 * Returns the price of hourly cache writes that a catalog requires of a kind that bills them: twice that
 * of the input, as the models cost whose providers do.
 */
export function hourlyPriceOf(kind: string | undefined, input: string): string | undefined {
  return kindOf(kind)?.billsHourlyCacheWrites === true ? multiply(input, 2) : undefined;
}

function kindOf(name: string | undefined): ProviderKind | undefined {
  const kinds: Readonly<Record<string, ProviderKind>> = vendors;
  return name === undefined ? undefined : kinds[name];
}
