import type { UsageSum } from "@tollgate/proto/tollgate/v1/ledger";

/** One colour of stacked bars. */
export interface Layer {
  name: string;
  /** The member that it shows, such as an alias; undefined for the rest. */
  member: string | undefined;
  /** Whether a sum belongs to it. */
  has(sum: UsageSum): boolean;
}

/**
 * Returns the layers of sums that are divided by a second dimension: those that were charged most first, and
 * the rest last. `names` has the names of keys and accounts by their ids.
 */
export function layersOf(
  sums: readonly UsageSum[],
  names: Readonly<Record<string, string>>,
): Layer[] {
  const charged = new Map<string, bigint>();
  for (const { thenName, isRest, chargedNanoUsd } of sums) {
    if (!isRest) charged.set(thenName, (charged.get(thenName) ?? 0n) + chargedNanoUsd);
  }
  const members = [...charged].sort(([, a], [, b]) => Number(b - a)).map(([member]) => member);
  const layers = members.map((member) => ({
    member,
    name: names[member] ?? (member || "none"),
    has: ({ thenName, isRest }: UsageSum) => !isRest && thenName === member,
  }));
  if (!sums.some(({ isRest }) => isRest)) return layers;
  const rest = { member: undefined, name: "others", has: ({ isRest }: UsageSum) => isRest };
  return [...layers, rest];
}
