import type { Slot } from "@tollgate/catalog/model";
import { costOf, type NanoUsd, nanoCostOf, type PricedQuantity } from "@tollgate/core/money";
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
  /** What the providers charge. Undefined if it is not known for each attempt. */
  #providerLines: PricedQuantity[] | undefined = [];
  #last: Slot | undefined;

  /** Adds an attempt, if its provider has reported its usage. */
  add(slot: Slot, usage: ChatUsage | undefined): void {
    if (usage === undefined) return;
    const { lines, providerLines } = measure(usage, slot);
    this.#last = slot;
    this.#lines ??= [];
    this.#lines.push({ dimension: "empty_attempt", ...asOneUnit(costOf(lines)) });
    if (providerLines === undefined) this.#providerLines = undefined;
    else this.#providerLines?.push(asOneUnit(nanoCostOf(providerLines)));
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
    const { lines, providerLines } = measurement;
    const attempts = this.#providerLines;
    return {
      ...measurement,
      lines: [...lines, ...this.#lines],
      providerLines: providerLines && attempts && [...providerLines, ...attempts],
    };
  }
}

/** Returns a cost as the price of one unit. */
function asOneUnit(cost: NanoUsd): PricedQuantity {
  return { quantity: 1n, price: { picoUsd: cost * 1_000n, per: 1n } };
}
