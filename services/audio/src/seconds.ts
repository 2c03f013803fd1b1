/** More than any call lasts: a duration that is reported longer is not believed. */
const maxSeconds = 1_000_000;
/** What is left of adding up durations that are no whole number of binary fractions. */
const noise = 1e-6;

/**
 * A reported duration, also as text, which OpenAI's own API once wrote. Undefined for what can be
 * none: it counts as not reported.
 */
export function readDuration(value: unknown): number | undefined {
  const isText = typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value);
  const seconds = isText ? Number(value) : value;
  return typeof seconds === "number" && isBelievable(seconds) ? seconds : undefined;
}

/** Whether a call may last for so long. */
export function isBelievable(seconds: number): boolean {
  return seconds >= 0 && seconds <= maxSeconds;
}

/** Billable seconds of a duration: rounded up to a whole one. */
export function secondsIn(duration: number): bigint {
  return BigInt(Math.ceil(Math.max(duration - noise, 0)));
}
