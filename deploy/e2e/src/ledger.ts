import type { Entry } from "@tollgate/proto/tollgate/v1/ledger";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import { nanoUsd } from "./nano-usd.ts";
import { send } from "./request.ts";
import type { Stack, TestAccount } from "./stack.ts";

/** The most entries that one call lists. */
const limit = 1_000;

export interface WalletAmounts {
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

/** Returns the account's wallet from the client's route, and its entries from the operator's. */
export async function readWalletRow(stack: Stack, account: TestAccount): Promise<WalletAmounts> {
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

/**
 * Waits until no hold of a request is open, then checks that every wallet equals the sum of its entries.
 */
export async function expectBalancedLedger(stack: Stack, timeout = 15_000): Promise<void> {
  const result = await eventually(
    async () => {
      const { result } = await stack.operator.verifyLedger({});
      expect(result?.openHolds).toBe(0n);
      return result;
    },
    { timeout, interval: 50 },
  );
  expect(result?.discrepancies).toEqual([]);
  expectLines((await stack.operator.listLedger({ account: "", limit })).entries);
}

/**
 * Waits until the accounts have no open hold of a request, then checks that each balance is the sum
 * of the account's entries, and that nothing is held but for jobs.
 */
export async function expectBalancedAccounts(
  stack: Stack,
  accountIds: readonly string[],
): Promise<void> {
  await Promise.all(
    accountIds.map((account) =>
      // A hold may be taken, or released, between the calls.
      eventually(
        async () => {
          const { holds } = await stack.operator.listHolds({ account, limit });
          const open = holds.filter(({ jobId }) => jobId === "");
          const held = holds.reduce((total, { amountNanoUsd }) => total + amountNanoUsd, 0n);
          const { wallet } = await stack.operator.readWallet({ account });
          const entries = await allEntries(stack, account);
          const sum = entries.reduce((total, { amountNanoUsd }) => total + amountNanoUsd, 0n);
          const state = [account, open, wallet?.heldNanoUsd, wallet?.balanceNanoUsd];
          expect(state).toEqual([account, [], held, sum]);
          expectLines(entries);
        },
        { timeout: 15_000, interval: 50 },
      ),
    ),
  );
}

/** Returns all entries of an account, newest first. */
export async function allEntries(stack: Stack, account: string): Promise<Entry[]> {
  const all: Entry[] = [];
  while (true) {
    const beforeEntryId = all.at(-1)?.id ?? "";
    const { entries } = await stack.operator.listLedger({ account, limit, beforeEntryId });
    all.push(...entries);
    if (entries.length < limit) return all;
  }
}

/** Checks that entries of usage say what their costs consist of. */
function expectLines(entries: readonly Entry[]): void {
  for (const entry of entries.filter(({ kind }) => kind === "usage")) {
    const sum = entry.lines.reduce((total, { amountNanoUsd }) => total + amountNanoUsd, 0n);
    // An entry that repeats a charge has the lines of its usage and costs nothing.
    const cost = entry.reference === "" ? entry.uncollectedNanoUsd - entry.amountNanoUsd : sum;
    expect({ ...entry, cost: sum }).toEqual({ ...entry, cost });
    expect(entry.lines, entry.routeType).not.toEqual([]);
  }
}

/** Resolves with the ledger entry of a request when there is one. */
export async function entryOf(stack: Stack, account: TestAccount, requestId: string | null) {
  return eventually(async () => {
    const { entries } = await stack.operator.listLedger({ account: account.accountId, limit: 999 });
    const entry = entries.find((one) => one.requestId === requestId);
    expect(entry).toBeDefined();
    return entry;
  });
}
