import { invalidParam } from "@tollgate/core/errors";
import { formatUsd } from "@tollgate/core/money";
import { nanoUsdPerCent } from "./cents.ts";
import type { TopUpAmounts } from "./settings.ts";

/** Throws `invalid_param` unless a top-up may have the amount. */
export function requireTopUpAmount(amountNanoUsd: bigint, topUps: TopUpAmounts): void {
  if ("amounts" in topUps) {
    if (topUps.amounts.includes(amountNanoUsd)) return;
    throw invalidParam("amount", `must be one of ${topUps.amounts.map(formatUsd).join(", ")} USD`);
  }
  const { least, most } = topUps;
  if (amountNanoUsd % nanoUsdPerCent !== 0n) throw invalidParam("amount", "must be whole cents");
  if (amountNanoUsd >= least && amountNanoUsd <= most) return;
  throw invalidParam("amount", `must be from ${formatUsd(least)} to ${formatUsd(most)} USD`);
}
