import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import { nanoUsd } from "./nano-usd.ts";
import { send } from "./request.ts";
import type { Account, Stack } from "./stack.ts";

export interface Books {
  balance: bigint;
  held: bigint;
  entries: {
    kind: string;
    amount: bigint;
    uncollected: bigint;
    requestId: string;
    basis: string;
  }[];
}

/** The account's wallet as its client sees it, and its entries as the operator does. */
export async function readBooks(stack: Stack, account: Account): Promise<Books> {
  const { entries } = await stack.operator.listLedger({ account: account.accountId, limit: 1_000 });
  const { body } = await send(`${stack.url}/v1/credits`, { key: account.key });
  const credits = body as { balance: number; held: number };
  return {
    balance: nanoUsd(credits.balance),
    held: nanoUsd(credits.held),
    entries: entries.map(({ kind, amountNanoUsd, uncollectedNanoUsd, requestId, basis }) => ({
      kind,
      amount: amountNanoUsd,
      uncollected: uncollectedNanoUsd,
      requestId,
      basis,
    })),
  };
}

/** Waits until no hold is open, then checks that every wallet adds up. */
export async function expectBooksInOrder(stack: Stack, timeout = 15_000): Promise<void> {
  const result = await eventually(
    async () => {
      const { result } = await stack.operator.verifyLedger({});
      expect(result?.openHolds).toBe(0n);
      return result;
    },
    { timeout, interval: 50 },
  );
  expect(result?.discrepancies).toEqual([]);
}

/** Waits for the entry of a request in its account's ledger. */
export async function entryOf(stack: Stack, account: Account, requestId: string | null) {
  return eventually(async () => {
    const { entries } = await stack.operator.listLedger({ account: account.accountId, limit: 999 });
    const entry = entries.find((one) => one.requestId === requestId);
    expect(entry).toBeDefined();
    return entry;
  });
}
