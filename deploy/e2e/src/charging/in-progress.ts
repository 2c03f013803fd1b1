import { expect } from "vitest";
import type { Stack, TestAccount } from "../stack.ts";
import { soon } from "./soon.ts";

/** Creates an account whose key may have one request in progress at a time. */
export async function newSerialAccount(stack: Stack): Promise<TestAccount> {
  const { accountId } = await stack.newAccount(1);
  return newSerialKey(stack, accountId);
}

/** Creates another key of an account, which may have one request in progress at a time. */
export async function newSerialKey(stack: Stack, accountId: string): Promise<TestAccount> {
  const { keyId, key } = await stack.operator.createKey({
    account: accountId,
    limits: { parallel: 1 },
  });
  return { accountId, keyId, key };
}

/** Waits until the account's key has no request in progress. Its calls may go on. */
export async function expectNothingInProgress(stack: Stack, account: TestAccount): Promise<void> {
  await soon(async () => {
    const { keys } = await stack.operator.listKeys({ account: account.accountId });
    const own = keys.find(({ id }) => id === account.keyId);
    expect(own?.limits?.inProgress).toBe(0);
  });
}
