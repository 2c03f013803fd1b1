import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { Outcome, RequestTrailSchema } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { sumOverview } from "../src/overview.ts";
import { createTrailPartitions } from "../src/trail-partitions.ts";
import { captureInOrder, trail } from "./captured-requests.ts";
import { createLedgerDatabase, openLedger, openWallet } from "./ledger-database.ts";

describe("the overview", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
    await createTrailPartitions(pool, 30);
  });

  afterAll(() => pool.end());

  test("has money, times, errors, providers and wallets that run dry", async () => {
    const accountId = await openWallet(pool, 20_000n);
    const failed = { ...trail, errorCode: "upstream_rejected" };
    await captureInOrder(pool, accountId, [
      { costNanoUsd: 7_000n },
      { outcome: Outcome.FAILED, trail: failed },
      { trail: create(RequestTrailSchema, { ...trail, durationMs: 300 }) },
    ]);
    const hour = 3_600_000;
    const from = new Date(Math.floor(Date.now() / hour) * hour - hour);
    const to = new Date(from.getTime() + 3 * hour);
    const expected = {
      creditedNanoUsd: 20_000n,
      chargedNanoUsd: 7_000n,
      requests: 3n,
      failedRequests: 1n,
      balanceNanoUsd: 13_000n,
      durationP50Ms: 100,
      durationP99Ms: 300,
      firstTokenP50Ms: 60,
      errors: [{ errorCode: "upstream_rejected", requests: 1n }],
      providers: [
        { provider: "two", served: 3n, failed: 0n, durationP50Ms: 59 },
        { provider: "one", served: 0n, failed: 3n },
      ],
      forecasts: [{ accountId, balanceNanoUsd: 13_000n, chargedPerDayNanoUsd: 1_000n, days: 13 }],
    };
    expect(await sumOverview(pool, { accountId, from, to })).toMatchObject(expected);
    const everybody = await sumOverview(pool, { accountId: "", from, to });
    expect(everybody.requests).toBeGreaterThanOrEqual(3n);
    expect(everybody.forecasts.length).toBeGreaterThan(0);
  });

  test("counts requests whose usage no provider reported by their models, if it is of all accounts", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const alias = randomUUID();
    const bases = ["wall_clock", "provider", "wall_clock", "file_parts", "finals_and_pcm"];
    const events = bases.map((basis) => ({ alias, basis }));
    await captureInOrder(pool, accountId, events);
    const hourMs = 3_600_000;
    const from = new Date(Math.floor(Date.now() / hourMs) * hourMs - hourMs);
    const to = new Date(from.getTime() + 3 * hourMs);
    const { fallbacks } = await sumOverview(pool, { accountId: "", from, to });
    expect(fallbacks.filter((one) => one.alias === alias)).toEqual([
      { alias, basis: "wall_clock", requests: 2n },
      { alias, basis: "file_parts", requests: 1n },
    ]);
    expect((await sumOverview(pool, { accountId, from, to })).fallbacks).toEqual([]);
  });
});
