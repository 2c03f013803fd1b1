import { randomUUID } from "node:crypto";
import { BudgetPeriod, LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createHoldTaker } from "../src/holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { createLedgerDatabase, openLedger, openWallet, readWallet } from "./ledger-database.ts";
import { budget, limit, readUse } from "./limits-database.ts";

const holdMs = 60_000;
const rich = 10n ** 12n;

describe("the limits of keys and accounts", () => {
  let pools: pg.Pool[];
  let pool: pg.Pool;

  beforeAll(async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    pool = await openLedger(url);
    pools = [pool, await openLedger(url), await openLedger(url)];
  });

  afterAll(async () => {
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
    await Promise.all(pools.map((one) => one.end()));
  });

  /** Takes many holds at once over three replicas. Resolves with the grants. */
  async function takeMany(count: number, fields: { accountId: string; keyId: string }) {
    const takers = pools.map((one) => createHoldTaker(one, holdMs));
    const grants = Array.from({ length: count }, (_, index) => {
      const holdId = `${fields.keyId}-${index}-${randomUUID()}`;
      const request = { holdId, estimateNanoUsd: 5_000n, tokens: 10n, ...fields };
      return takers[index % takers.length]?.(request);
    });
    const all = (await Promise.all(grants)).map((grant) => grant ?? expect.unreachable());
    return { granted: all.filter(({ refusal }) => !refusal), all };
  }

  const newKey = () => `key_${randomUUID()}`;

  test.each([
    ["a budget", budget(500_000n, BudgetPeriod.DAY), LimitKind.BUDGET],
    ["requests per minute", { requestsPerMinute: 100 }, LimitKind.REQUESTS],
    ["tokens per minute", { tokensPerMinute: 1_000n }, LimitKind.TOKENS],
    ["parallel requests", { parallel: 100 }, LimitKind.PARALLEL],
  ])("let exactly as many of 500 concurrent requests over three replicas pass as %s allows", async (_name, limits, kind) => {
    const accountId = await openWallet(pool, rich);
    const [keyId, other] = [newKey(), newKey()];
    await limit(pool, accountId, limits, keyId);
    const [{ granted, all }, others] = await Promise.all([
      takeMany(500, { accountId, keyId }),
      takeMany(30, { accountId, keyId: other }),
    ]);
    expect(granted).toHaveLength(100);
    const refusals = all.flatMap(({ refusal }) => refusal ?? []);
    expect(new Set(refusals.map((refusal) => refusal.kind))).toEqual(new Set([kind]));
    expect(refusals[0]).toMatchObject({ ownerId: keyId, isAccount: false, limits });
    expect(others.granted).toHaveLength(30);
    expect(await readUse(pool, keyId)).toEqual({
      spentNanoUsd: 0n,
      heldNanoUsd: 500_000n,
      requests: 100,
      tokens: 1_000n,
      inProgress: 100,
    });
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 650_000n });
  });
});
