import type { ReadOverviewResponse } from "@tollgate/proto/tollgate/v1/operator";
import { countOf, formatCount } from "../format/numbers.ts";

/** Something that is out, and the screen that shows more of it. */
export interface Outage {
  id: string;
  text: string;
  to: "/" | "/models" | "/catalog" | "/activity";
}

type Read = Pick<
  ReadOverviewResponse,
  "outSlots" | "refusedKeys" | "refusingProcesses" | "queuedMessages" | "uncollectedNanoUsd"
>;

/** So many messages wait for a moment under load. */
const manyMessages = 1_000n;
const maxNamed = 3;

/** Returns what is out by the overview of all accounts. Money is not collected in its period. */
export function outagesOf(overview: Read, formatMoney: (nanoUsd: bigint) => string): Outage[] {
  const { outSlots, refusedKeys, refusingProcesses, queuedMessages, uncollectedNanoUsd } = overview;
  const outages: Outage[] = [];
  if (refusedKeys.length > 0) {
    const names = named(
      refusedKeys.map(({ provider, key }) => [provider, key].filter(Boolean).join(" ")),
    );
    outages.push({ id: "keys", text: `Providers refuse their keys: ${names}`, to: "/" });
  }
  if (outSlots.length > 0) {
    const slots = countOf(outSlots.length, "slot is out", "slots are out");
    const names = named(outSlots.map(({ slotId }) => slotId));
    outages.push({ id: "slots", text: `${slots}: ${names}`, to: "/models" });
  }
  if (refusingProcesses.length > 0) {
    const names = named(refusingProcesses.map(({ name }) => name));
    outages.push({
      id: "catalog",
      text: `The newest catalog is refused by ${names}`,
      to: "/catalog",
    });
  }
  if (queuedMessages > manyMessages) {
    const text = `The ledger is behind: ${formatCount(queuedMessages)} messages wait`;
    outages.push({ id: "ledger", text, to: "/" });
  }
  if (uncollectedNanoUsd > 0n) {
    const text = `${formatMoney(uncollectedNanoUsd)} of the last 24 hours was not collected`;
    outages.push({ id: "money", text, to: "/activity" });
  }
  return outages;
}

function named(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
