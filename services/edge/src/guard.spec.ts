import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import type { Client } from "@tollgate/rpc/implementation";
import { expect, test } from "vitest";
import { createBalanceGuard } from "./guard.ts";

/** A billing service that is asked how an account stands. */
function world(availableNanoUsd: bigint) {
  const wallet = { availableNanoUsd, asked: 0 };
  const billing = {
    async getAvailable() {
      wallet.asked += 1;
      return { availableNanoUsd: wallet.availableNanoUsd, heldNanoUsd: 0n };
    },
  } as unknown as Client<typeof BillingService>;
  return { wallet, guard: createBalanceGuard(billing) };
}

test("a wallet that has money is believed for a moment", async () => {
  const { wallet, guard } = world(1n);
  for (let call = 0; call < 5; call += 1) await guard.check("account");
  expect(wallet.asked).toBe(1);
  await guard.check("another");
  expect(wallet.asked).toBe(2);
});

test("one that a hold found empty is not believed any more", async () => {
  const { wallet, guard } = world(1n);
  await guard.check("account");
  wallet.availableNanoUsd = 0n;
  guard.forget("account");
  const refused = { code: "credit_balance_exhausted" };
  await expect(guard.check("account")).rejects.toMatchObject(refused);
  // An empty one is asked for each time: it may have been topped up.
  wallet.availableNanoUsd = 5n;
  await guard.check("account");
  expect(wallet.asked).toBe(3);
});
