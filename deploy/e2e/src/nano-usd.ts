/** What a client was told it cost, in nano-USD. */
export function nanoUsd(cost: number): bigint {
  return BigInt(Math.round(cost * 1e6)) * 1_000n;
}
