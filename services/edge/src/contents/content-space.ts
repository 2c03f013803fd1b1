/** How much memory the contents of all requests take until they are sent, and those of one account. */
const maxBytes = 64 * 1024 * 1024;
const maxBytesOfAccount = 16 * 1024 * 1024;

/** Counts the bytes of contents in memory, so that no account takes the room of the others. */
export class ContentSpace {
  #bytes = 0;
  readonly #ofAccount = new Map<string, number>();

  /** Reserves room. Returns false, and reserves nothing, where there is none. */
  reserve(accountId: string, bytes: number): boolean {
    const ofAccount = (this.#ofAccount.get(accountId) ?? 0) + bytes;
    if (this.#bytes + bytes > maxBytes || ofAccount > maxBytesOfAccount) return false;
    this.#bytes += bytes;
    this.#ofAccount.set(accountId, ofAccount);
    return true;
  }

  /** Returns what was reserved. */
  release(accountId: string, bytes: number): void {
    this.#bytes -= bytes;
    const rest = (this.#ofAccount.get(accountId) ?? 0) - bytes;
    if (rest > 0) this.#ofAccount.set(accountId, rest);
    else this.#ofAccount.delete(accountId);
  }
}
