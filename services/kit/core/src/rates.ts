/** A rate over the trailing minute, in requests or tokens. */
export interface Rate {
  limit: bigint;
  remaining: bigint;
  /** When nothing of the trailing minute is used any more, in milliseconds from now. */
  resetMs: number;
}

/** The rates that limit a key. Absent: unlimited. */
export interface Rates {
  requests?: Rate | undefined;
  tokens?: Rate | undefined;
}
