/** More than any call lasts: a duration that is reported longer is not believed. */
const maxSeconds = 1_000_000;
/** What is left of adding up durations that are no whole number of binary fractions. */
const noise = 1e-6;

/** Whether a reported value can be a duration. One that cannot counts as not reported. */
export function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= maxSeconds;
}

/** Billable seconds of a duration: rounded up to a whole one. */
export function secondsIn(duration: number): bigint {
  return BigInt(Math.ceil(Math.max(duration - noise, 0)));
}
