/** More than any call lasts: a duration that is reported longer is not believed. */
const maxSeconds = 1_000_000;
/** What is left of adding up durations that are no whole number of binary fractions. */
const noise = 1e-6;

/** Billable seconds of a duration: rounded up to a whole one. */
export function secondsIn(duration: number): bigint {
  const bounded = Math.min(Math.max(duration, 0), maxSeconds);
  return BigInt(Math.ceil(bounded - noise));
}
