import type { RequestRefusal } from "@tollgate/proto/tollgate/v1/refusal";

/** How many records a process makes of one key in a minute, or of one address without a known key. */
export const maxOfOwner = 20;
/** How many it makes of one account, or of all requests without a known key, and how many in all. */
export const maxOfAccount = 60;
export const maxInMinute = 300;
const minuteMs = 60_000;

/** The key or address, and the account, whose bounds a record counts towards. */
interface Owner {
  /** The key, or the address of a client without a known one. */
  id: string;
  /** Empty without a known key. */
  accountId: string;
}

/**
 * Queues the records of refused requests. It is bounded per minute, so that a flood of refused requests uses
 * little memory and database, and does not displace the records of other accounts. Billing applies the bounds of
 * accounts to all processes together.
 */
export class RefusalQueue {
  readonly #nowMs: () => number;
  #records: RequestRefusal[] = [];
  #minute = 0;
  #taken = 0;
  readonly #ofOwner = new Map<string, number>();
  readonly #ofAccount = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  /** Adds the record of a request unless one of the bounds is reached in this minute. */
  add({ id, accountId }: Owner, record: () => RequestRefusal): void {
    const minute = Math.floor(this.#nowMs() / minuteMs);
    if (minute !== this.#minute) this.#begin(minute);
    const ofOwner = this.#ofOwner.get(id) ?? 0;
    const ofAccount = this.#ofAccount.get(accountId) ?? 0;
    if (this.#taken >= maxInMinute || ofAccount >= maxOfAccount || ofOwner >= maxOfOwner) return;
    this.#ofOwner.set(id, ofOwner + 1);
    this.#ofAccount.set(accountId, ofAccount + 1);
    this.#taken += 1;
    this.#records.push(record());
  }

  /** Returns the records, and forgets them. */
  takeAll(): RequestRefusal[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  #begin(minute: number): void {
    this.#minute = minute;
    this.#taken = 0;
    this.#ofOwner.clear();
    this.#ofAccount.clear();
  }
}
