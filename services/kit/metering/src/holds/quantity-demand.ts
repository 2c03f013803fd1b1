/** Measures how much of something requests reserve, such as money or tokens, in rounds. */
export class QuantityDemand {
  #reserved = 0n;
  #maxReserved = 0n;
  #added = 0n;
  #used = 0n;

  /** What the requests in progress reserve. */
  get reserved(): bigint {
    return this.#reserved;
  }

  reserve(quantity: bigint): void {
    this.#added += quantity;
    this.#reserved += quantity;
    if (this.#reserved > this.#maxReserved) this.#maxReserved = this.#reserved;
  }

  /** Ends a request that reserved a quantity and used a part of it, or more. */
  end(reserved: bigint, used: bigint): void {
    this.#reserved -= reserved;
    this.#used += used < reserved ? used : reserved;
  }

  /**
   * Ends a round. Returns how much its requests could have shared: the most that was reserved at
   * once plus what was used, at most what they reserved in total.
   */
  endRound(): bigint {
    const shareable = this.#maxReserved + this.#used;
    const needed = this.#added < shareable ? this.#added : shareable;
    this.#maxReserved = this.#reserved;
    this.#added = 0n;
    this.#used = 0n;
    return needed;
  }
}
