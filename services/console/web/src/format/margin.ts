/** The part of a price or a charge that remains after the provider cost, for people. */
export interface Margin {
  text: string;
  isLoss: boolean;
}

/** Returns the margin of what is charged, (charged - cost) / charged; undefined where that is zero. */
export function marginOf(charged: bigint, cost: bigint): Margin | undefined {
  if (charged === 0n) return undefined;
  const twice = (charged - cost) * 2_000n;
  // Rounded to the nearest tenth of a percent, away from zero.
  const absolute = ((twice < 0n ? -twice : twice) + charged) / (2n * charged);
  const isLoss = cost > charged;
  const sign = isLoss ? "−" : "";
  return { text: `${sign}${absolute / 10n}.${absolute % 10n} %`, isLoss };
}
