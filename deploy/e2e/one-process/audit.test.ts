import { randomUUID } from "node:crypto";
import { BudgetPeriod, LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import { describe, expect, test } from "vitest";
import { sharedStack } from "../src/shared-stack.ts";

const { stack } = await sharedStack();

describe("the audit log", () => {
  /** Returns the changes of an account, the oldest first. */
  async function changesOf(account: string) {
    const { records } = await stack.operator.listAudit({ account });
    return records.toReversed().map(({ before, after, ...record }) => ({
      ...record,
      before: JSON.parse(before) as object,
      after: JSON.parse(after) as object,
    }));
  }

  test("says who changed what of an account and its keys, before and after, and no secrets", async () => {
    const { operator } = stack;
    const name = randomUUID();
    const { account } = await operator.createAccount({ name, creditNanoUsd: 1_000_000_000n });
    const accountId = account?.id ?? "";
    const { keyId, key } = await operator.createKey({ account: name, name: "first" });
    const budget = { amountNanoUsd: 5_000_000_000n, period: BudgetPeriod.DAY };
    await operator.updateKey({ keyId, name: "second", limits: { set: { budget }, remove: [] } });
    await operator.updateKey({ keyId, limits: { remove: [LimitKind.BUDGET] } });
    await operator.rotateKey({ keyId });
    await operator.revokeKey({ keyId });
    await operator.revokeKey({ keyId });
    await operator.updateAccount({ account: name, admission: "strict" });
    const subject = { subjectKind: "key", subjectId: keyId };
    const actor = { actorKind: "local", actorId: "", accountId };
    const changes = await changesOf(accountId);
    const limited = { amount_nano_usd: "5000000000", period: "BUDGET_PERIOD_DAY" };
    const time = expect.stringContaining("T");
    expect(changes).toMatchObject([
      { action: "CreateAccount", ...actor, after: { name, credit_nano_usd: "1000000000" } },
      { action: "CreateKey", ...actor, ...subject, before: {}, after: { name: "first" } },
      {
        action: "UpdateKey",
        ...subject,
        before: { name: "first" },
        after: { name: "second", limits: { limits: { budget: limited } } },
      },
      { action: "UpdateKey", ...subject, before: { limits: { limits: { budget: limited } } } },
      { action: "RotateKey", ...subject, before: {}, after: { rotated_at: time } },
      { action: "RevokeKey", ...subject, before: {}, after: { revoked_at: time } },
      {
        action: "UpdateAccount",
        subjectKind: "account",
        subjectId: accountId,
        before: {},
        after: { admission: "strict" },
      },
    ]);
    expect(
      JSON.stringify(changes, (_, value) => (typeof value === "bigint" ? 0 : value)),
    ).not.toContain(key);
  });

  test("has one record for a top-up or an adjustment that is repeated, with the balances", async () => {
    const { operator } = stack;
    const { accountId: account } = await stack.newAccount(1);
    const topUp = { account, amountNanoUsd: 2_000_000_000n, reference: "invoice-1" };
    await operator.topUpWallet(topUp);
    await operator.topUpWallet(topUp);
    const adjustment = { account, amountNanoUsd: -500_000_000n, reason: "goodwill" };
    await operator.adjustWallet({ ...adjustment, reference: "case-1" });
    await operator.adjustWallet({ ...adjustment, reference: "case-1" });
    const wallet = { subjectKind: "wallet", subjectId: account, accountId: account };
    expect((await changesOf(account)).slice(2)).toMatchObject([
      {
        action: "TopUpWallet",
        ...wallet,
        before: { balance_nano_usd: "1000000000" },
        after: {
          balance_nano_usd: "3000000000",
          amount_nano_usd: "2000000000",
          reference: "invoice-1",
        },
      },
      {
        action: "AdjustWallet",
        ...wallet,
        before: { balance_nano_usd: "3000000000" },
        after: { balance_nano_usd: "2500000000", reason: "goodwill", reference: "case-1" },
      },
    ]);
  });
});
