import type { UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import type { Bucket } from "./time-series.ts";

/** The usage of one name, such as an alias, in each bucket. */
export interface NamedBuckets {
  name: string;
  buckets: readonly Bucket[];
}

/** A part of a bar that is stacked of several. */
export interface ChargedPart {
  name: string;
  chargedNanoUsd: bigint;
}

export const otherName = "others";

/**
 * Returns the parts of the charge of each bucket: those of the names, in their order, and what the others
 * were charged.
 */
export function stackCharges(
  totals: readonly Bucket[],
  named: readonly NamedBuckets[],
): readonly (readonly ChargedPart[])[] {
  return totals.map(({ sum }, index) => {
    const parts = named.map(({ name, buckets }) => {
      return { name, chargedNanoUsd: chargeOf(buckets[index]?.sum) };
    });
    const shown = parts.reduce((so, { chargedNanoUsd }) => so + chargedNanoUsd, 0n);
    const rest = chargeOf(sum) - shown;
    return rest > 0n ? [...parts, { name: otherName, chargedNanoUsd: rest }] : parts;
  });
}

function chargeOf(sum: UsageSum | undefined): bigint {
  return sum?.chargedNanoUsd ?? 0n;
}
