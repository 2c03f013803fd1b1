import { describe, test } from "vitest";
import { endingOf } from "../src/charging/endings.ts";
import { expectCharge } from "../src/charging/expect-charge.ts";
import { newSerialAccount, newSerialKey } from "../src/charging/in-progress.ts";
import { type Cell, cellsOf, endings } from "../src/charging/matrix.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";

const { stack } = await sharedStack();
const accounts = new Map<string, TestAccount>();

/** Returns the account of a row, with a key for each cell. Each cell of jobs has an account. */
async function accountOf({ call, form, by }: Cell): Promise<TestAccount> {
  const row = `${call.path} ${form} ${by}`;
  const existing = accounts.get(row);
  if (existing !== undefined) return newSerialKey(stack, existing.accountId);
  const created = await newSerialAccount(stack);
  if (form !== "job") accounts.set(row, created);
  return created;
}

for (const ending of endings) {
  const cells = cellsOf(ending).filter((cell) => endingOf(cell) !== undefined);
  if (cells.length === 0) continue;
  describe(`when ${ending}`, () => {
    for (const cell of cells) {
      const { call, form, by, charge } = cell;
      test(`${call.path} as ${form} (${by}) is charged: ${charge}`, async () => {
        const open = await endingOf(cell)?.(stack, await accountOf(cell), cell);
        if (open !== undefined) await expectCharge(stack, cell, open);
      });
    }
  });
}
