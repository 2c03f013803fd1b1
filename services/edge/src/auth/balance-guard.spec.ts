import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import { expect, test } from "vitest";
import { createBalanceGuard } from "./balance-guard.ts";

/** A guard over a billing service that counts its calls. */
function createFixture(availableNanoUsd: bigint) {
  const wallet = { availableNanoUsd, calls: 0 };
  const billing = {
    async getAvailable() {
      wallet.calls += 1;
      return { availableNanoUsd: wallet.availableNanoUsd, heldNanoUsd: 0n };
    },
  } as unknown as Client<typeof BillingService>;
  return { wallet, guard: createBalanceGuard(billing) };
}

test("a wallet with money is cached", async () => {
  const { wallet, guard } = createFixture(1n);
  for (let call = 0; call < 5; call += 1) await guard.check("account");
  expect(wallet.calls).toBe(1);
  await guard.check("another");
  expect(wallet.calls).toBe(2);
});

test("a wallet that a hold found empty is read again, and an empty one is not cached", async () => {
  const { wallet, guard } = createFixture(1n);
  await guard.check("account");
  wallet.availableNanoUsd = 0n;
  guard.forget("account");
  const rejection = { code: "credit_balance_exhausted" };
  await expect(guard.check("account")).rejects.toMatchObject(rejection);
  wallet.availableNanoUsd = 5n;
  await guard.check("account");
  expect(wallet.calls).toBe(3);
});
