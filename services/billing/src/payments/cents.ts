/** Stripe counts USD in cents. */
export const nanoUsdPerCent = 10_000_000n;

/** Returns an amount of whole cents as Stripe takes it. */
export function toCents(amountNanoUsd: bigint): number {
  return Number(amountNanoUsd / nanoUsdPerCent);
}

/** Returns an amount of Stripe in nano-USD. */
export function fromCents(cents: number): bigint {
  return BigInt(cents) * nanoUsdPerCent;
}
