import type { Slot } from "@tollgate/catalog/model";
import { costOf } from "@tollgate/core/money";
import type { Measurement, PricedLine } from "@tollgate/metering/measurement";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import type { Served } from "@tollgate/upstream/chain";
import { countedUsage, measure } from "./usage.ts";

/**
 * The attempts of a call whose providers have generated nothing, and have reported usage. The call goes on
 * to the next slot. The usage is charged, since a client can provoke such responses.
 */
export class EmptyAttempts {
  #lines: PricedLine[] | undefined;
  #last: Slot | undefined;

  /** Adds an attempt, if its provider has reported its usage. */
  add(slot: Slot, usage: ChatUsage | undefined): void {
    if (usage === undefined) return;
    const picoUsd = costOf(measure(usage, slot).lines) * 1_000n;
    this.#last = slot;
    this.#lines ??= [];
    this.#lines.push({ dimension: "empty_attempt", quantity: 1n, price: { picoUsd, per: 1n } });
  }

  /** Returns what is billed where no other provider was called; undefined for nothing. */
  alone(): Served<Measurement> | undefined {
    const slot = this.#last;
    if (slot === undefined) return undefined;
    return { slot, response: this.addTo(measure(countedUsage(0n, 0n), slot)) };
  }

  /** Returns the measurement of what is billed, with a line for each of these attempts. */
  addTo(measurement: Measurement): Measurement {
    if (this.#lines === undefined) return measurement;
    return { ...measurement, lines: [...measurement.lines, ...this.#lines] };
  }
}
