import { PaymentState } from "@tollgate/proto/tollgate/v1/payment";
import { amountOrders, type ListSearch, readListSearch } from "./list-search.ts";
import { defined, type RawSearch, readOne, readTexts } from "./read.ts";

/** The states of payments in an address, with their names for people. */
export const paymentStates = {
  open: [PaymentState.OPEN, "not paid yet"],
  credited: [PaymentState.CREDITED, "credited"],
  failed: [PaymentState.FAILED, "failed"],
  refused: [PaymentState.REFUSED, "not credited"],
} as const;

/** The address of Payments. */
export interface PaymentsSearch extends ListSearch<keyof typeof amountOrders> {
  account?: string;
  state?: keyof typeof paymentStates;
}

/** Returns what an address asks of Payments, without what it does not know. */
export function readPaymentsSearch(raw: RawSearch): PaymentsSearch {
  const states = Object.keys(paymentStates) as (keyof typeof paymentStates)[];
  return {
    ...readTexts(raw, ["account"]),
    ...defined({ state: readOne(raw, "state", states) }),
    ...readListSearch(raw, amountOrders),
  };
}
