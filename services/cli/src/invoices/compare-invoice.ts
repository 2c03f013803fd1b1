import type { UsageSum } from "@tollgate/proto/tollgate/v1/ledger";
import type { CatalogModel } from "@tollgate/proto/tollgate/v1/model";

/** What a provider's models cost on its invoice, and what the gateway charged for them. */
export interface ComparedModels {
  /** The provider's names. */
  upstreamModels: string[];
  /** The aliases that these models serve. */
  aliases: string[];
  paidNanoUsd: bigint;
  chargedNanoUsd: bigint;
  /** The cost at the prices of the catalog, of the requests whose cost is known. */
  expectedNanoUsd: bigint;
}

/**
 * Compares the invoice of a provider with the usage that it served, by model. Usage is summed by alias, so models
 * that serve one alias are compared together. A model that serves no alias was charged nothing.
 */
export function compareInvoice(
  invoice: ReadonlyMap<string, bigint>,
  usage: readonly UsageSum[],
  models: readonly CatalogModel[],
  provider: string,
): ComparedModels[] {
  const groups: Group[] = [];
  for (const { alias, slots } of models) {
    const own = slots.filter((slot) => slot.provider === provider);
    const names = own.map(({ upstreamModel }) => upstreamModel);
    if (names.length > 0) join(groups, names, [alias]);
  }
  for (const name of invoice.keys()) join(groups, [name], []);
  for (const { name } of usage) join(groups, [], [name]);
  const sums = new Map(usage.map((sum) => [sum.name, sum]));
  const compared = groups.map(({ upstreamModels, aliases }) => {
    const own = [...aliases].flatMap((alias) => sums.get(alias) ?? []);
    return {
      upstreamModels: [...upstreamModels].sort(),
      aliases: [...aliases].sort(),
      paidNanoUsd: total([...upstreamModels].map((name) => invoice.get(name) ?? 0n)),
      chargedNanoUsd: total(own.map(({ chargedNanoUsd }) => chargedNanoUsd)),
      expectedNanoUsd: total(own.map(({ providerCostNanoUsd }) => providerCostNanoUsd)),
    };
  });
  return compared
    .filter(({ paidNanoUsd, chargedNanoUsd }) => paidNanoUsd !== 0n || chargedNanoUsd !== 0n)
    .sort((one, other) => (one.paidNanoUsd < other.paidNanoUsd ? 1 : -1));
}

interface Group {
  upstreamModels: Set<string>;
  aliases: Set<string>;
}

/** Adds names to the group that has one of them, and joins groups that have become one. */
function join(groups: Group[], models: readonly string[], aliases: readonly string[]): void {
  const isSame = (group: Group) =>
    models.some((name) => group.upstreamModels.has(name)) ||
    aliases.some((name) => group.aliases.has(name));
  const same = groups.filter(isSame);
  const others = groups.filter((group) => !same.includes(group));
  const joined = {
    upstreamModels: new Set([...models, ...same.flatMap((one) => [...one.upstreamModels])]),
    aliases: new Set([...aliases, ...same.flatMap((one) => [...one.aliases])]),
  };
  groups.splice(0, groups.length, ...others, joined);
}

/** Returns whether more was paid for models than was charged. */
export function isLoss({ paidNanoUsd, chargedNanoUsd }: ComparedModels): boolean {
  return chargedNanoUsd < paidNanoUsd;
}

function total(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
