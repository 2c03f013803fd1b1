import { maskKeys } from "@tollgate/core/key-form";
import { AmountOrder, TimeOrder } from "@tollgate/proto/tollgate/v1/list";
import type { CommandOptions } from "../commands/command.ts";
import { UsageError } from "../help.ts";
import { readWholeNumber } from "../text/amounts.ts";

const maxPage = 1_000;

/** The options of lists that have pages. */
export const pageOptions = ["limit", "before"] as const;
/** Of those that are also ordered. */
export const orderedOptions = ["order", ...pageOptions] as const;
/** Of those that are also searched. */
export const searchedOptions = ["search", ...orderedOptions] as const;

/** The orders of lists that are ordered by time. */
export const namedTimeOrders = { newest: TimeOrder.UNSPECIFIED, oldest: TimeOrder.OLDEST } as const;

/** Those of lists that have amounts. */
export const namedAmountOrders = {
  newest: AmountOrder.UNSPECIFIED,
  oldest: AmountOrder.OLDEST,
  amount: AmountOrder.LARGEST,
} as const;

/** Returns how many rows a page has. Throws a UsageError. */
export function readLimit({ limit }: Pick<CommandOptions, "limit">, usual = 100): number {
  return limit === undefined ? usual : readWholeNumber(limit, "--limit", maxPage);
}

/** Returns what the call of a list that is searched and ordered asks for. Throws a UsageError. */
export function readSearchedPage<Order>(
  options: Pick<CommandOptions, "search" | "order" | "limit">,
  orders: Readonly<Record<string, Order>>,
  usual?: number,
): { search: string; order: Order; limit: number } {
  const { search = "" } = options;
  // It would be sent, and printed with the command of the next page.
  if (maskKeys(search) !== search) {
    throw new UsageError("--search has the text of a key; key find reads one from standard input");
  }
  return { search, order: readOrder(options, orders), limit: readLimit(options, usual) };
}

/**
 * Returns the order that --order names; the first one of the list without it. Throws a UsageError that lists the
 * orders.
 */
export function readOrder<Order>(
  { order }: Pick<CommandOptions, "order">,
  orders: Readonly<Record<string, Order>>,
): Order {
  return readChoice(order ?? Object.keys(orders)[0] ?? "", "--order", orders);
}

/** Returns the choice with a name. Throws a UsageError that names the option and lists the names. */
export function readChoice<Value>(
  name: string,
  option: string,
  choices: Readonly<Record<string, Value>>,
): Value {
  const found = Object.entries(choices).find(([one]) => one === name);
  if (found !== undefined) return found[1];
  throw new UsageError(`${option} must be ${eitherOf(Object.keys(choices))}`);
}

function eitherOf(names: readonly string[]): string {
  return names.join(", ").replace(/, ([^,]*)$/, " or $1");
}
