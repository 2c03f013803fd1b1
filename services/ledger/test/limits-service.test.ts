import { BudgetPeriod, LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openWallet, usageEvent } from "./ledger-database.ts";
import { budget } from "./limits-database.ts";
import { type LedgerWithDatabase, startLedger } from "./running-ledger.ts";

describe("the ledger's responses to a key with limits", () => {
  let ledger: LedgerWithDatabase;

  beforeAll(async () => {
    ledger = await startLedger(inject("postgresUrl"));
  });

  afterAll(() => ledger.stop());

  async function openKey() {
    const accountId = await openWallet(ledger.pool, 10n ** 12n);
    return { accountId, keyId: `${accountId}-key` };
  }

  test("have the rates that are left, and the limit that refuses a hold or its growth", async () => {
    const { client } = ledger;
    const { accountId, keyId } = await openKey();
    const limits = { ...budget(3_000n, BudgetPeriod.DAY), requestsPerMinute: 2 };
    await client.setLimits({ accountId, ownerId: keyId, limits });
    const request = { accountId, keyId, estimateNanoUsd: 2_000n };
    const first = await client.hold({ ...request, holdId: `${keyId}-1`, tokens: 10n });
    expect(first).toMatchObject({
      heldNanoUsd: 2_000n,
      rates: { requests: { limit: 2n, remaining: 1n, resetMs: 60_000 } },
    });
    expect(first.refusal).toBeUndefined();
    expect(first.rates?.tokens).toBeUndefined();
    const growth = { accountId, keyId, holdId: `${keyId}-1`, estimateNanoUsd: 2_000n };
    expect(await client.growHold(growth)).toMatchObject({ addedNanoUsd: 1_000n });
    expect(await client.growHold(growth)).toMatchObject({
      addedNanoUsd: 0n,
      refusal: { kind: LimitKind.BUDGET, ownerId: keyId, heldNanoUsd: 3_000n },
    });
    expect(await client.hold({ ...request, holdId: `${keyId}-2` })).toMatchObject({
      heldNanoUsd: 0n,
      refusal: { kind: LimitKind.BUDGET, limits, retryAfterMs: 0 },
      rates: { requests: { remaining: 1n } },
    });
    const event = usageEvent({ accountId, keyId, holdId: `${keyId}-1`, costNanoUsd: 1_000n });
    await client.recordUsage({ events: [event] });
    const { uses } = await client.listLimits({ ownerIds: [keyId, accountId] });
    expect(uses).toMatchObject([{ ownerId: keyId, spentNanoUsd: 1_000n, requests: 1, tokens: 0n }]);
  });

  test("have the rates that a shared hold leaves, until it is released", async () => {
    const { client } = ledger;
    const { accountId, keyId } = await openKey();
    const limits = { requestsPerMinute: 160, tokensPerMinute: 16_000n, parallel: 32 };
    await client.setLimits({ accountId, ownerId: keyId, limits });
    const taken = { amountNanoUsd: 10_000n, requests: 10, tokens: 1_000n, inProgress: 2 };
    const shared = { accountId, keyId, holdId: `${keyId}-shared`, ...taken };
    expect(await client.takeSharedHold(shared)).toMatchObject({
      granted: true,
      rates: { requests: { remaining: 150n }, tokens: { remaining: 15_000n } },
    });
    await client.releaseSharedHold({ accountId, holdId: shared.holdId, ...taken });
    const { uses } = await client.listLimits({ ownerIds: [keyId] });
    expect(uses).toMatchObject([{ heldNanoUsd: 0n, requests: 0, tokens: 0n, inProgress: 0 }]);
  });

  test("list at most 10,000 owners", async () => {
    const ownerIds = Array.from({ length: 10_001 }, (_, n) => `key_${n}`);
    await expect(ledger.client.listLimits({ ownerIds })).rejects.toMatchObject({
      code: "invalid_param",
      param: "owner_ids",
    });
  });
});
