/** Converts a reported cost in USD to nano-USD. */
export function nanoUsd(cost: number): bigint {
  return BigInt(Math.round(cost * 1e6)) * 1_000n;
}
