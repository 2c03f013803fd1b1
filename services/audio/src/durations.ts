/** Bytes of one second of streamed audio: PCM with 16 kHz, mono, signed 16-bit samples. */
export const pcmBytesPerSecond = 32_000;

/** More than any call lasts: a longer reported duration counts as not reported. */
const maxSeconds = 1_000_000;
/** The floating-point error of a sum of durations. It must not add a billed second. */
const roundingError = 1e-6;

/**
 * Reads a duration that a provider reports, in seconds: a number, or a decimal as text, which
 * OpenAI's API once wrote. Returns undefined for anything that cannot be the duration of a call.
 */
export function readDuration(value: unknown): number | undefined {
  const isText = typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value);
  const seconds = isText ? Number(value) : value;
  return typeof seconds === "number" && isPlausible(seconds) ? seconds : undefined;
}

/** Returns whether a call may last this long. */
export function isPlausible(seconds: number): boolean {
  return seconds >= 0 && seconds <= maxSeconds;
}

/** Returns the seconds that are billed for a duration: rounded up to a full second. */
export function billableSeconds(duration: number): bigint {
  return BigInt(Math.ceil(Math.max(duration - roundingError, 0)));
}
