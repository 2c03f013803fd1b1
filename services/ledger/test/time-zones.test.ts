import { timestampDate } from "@bufbuild/protobuf/wkt";
import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { listLimits, setTimeZone } from "../src/limits.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { createLedgerDatabase, openLedger, openWallet, usageEvent } from "./ledger-database.ts";
import { budget, limit, openTimed, readUse, type TimedLedger } from "./limits-database.ts";

const rich = 10n ** 12n;
const daily = budget(10_000n, BudgetPeriod.DAY);

describe("budgets in the time zone of their account", () => {
  let untimed: pg.Pool;
  let ledger: TimedLedger;
  let pool: pg.Pool;

  beforeAll(async () => {
    const url = await createLedgerDatabase(inject("postgresUrl"));
    untimed = await openLedger(url);
    ledger = await openTimed(url);
    pool = ledger.pool;
  });

  afterAll(async () => {
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
    await ledger.setTime(new Date());
    await Promise.all([pool.end(), untimed.end()]);
  });

  async function charge(accountId: string, costNanoUsd: bigint, keyId = `${accountId}-k`) {
    await createCapture(pool)(usageEvent({ accountId, keyId, costNanoUsd }));
  }

  async function openAccount(timeZone: string): Promise<string> {
    const accountId = await openWallet(pool, rich);
    await setTimeZone(pool, { accountId, timeZone });
    return accountId;
  }

  async function resetOf(ownerId: string): Promise<string | undefined> {
    const [use] = await listLimits(pool, [ownerId]);
    return use?.resetsAt && timestampDate(use.resetsAt).toISOString().replace(":00.000Z", "Z");
  }

  test.each([
    ["Asia/Tokyo", "day", BudgetPeriod.DAY, "2026-11-10T16:00:00Z", "2026-11-11T15:00Z"],
    ["America/Los_Angeles", "week", BudgetPeriod.WEEK, "2026-11-16T07:59:59Z", "2026-11-16T08:00Z"],
    ["Europe/Berlin", "month", BudgetPeriod.MONTH, "2026-10-15T00:00:00Z", "2026-10-31T23:00Z"],
    ["Asia/Kolkata", "day", BudgetPeriod.DAY, "2026-11-10T18:29:59Z", "2026-11-10T18:30Z"],
    ["Pacific/Chatham", "day", BudgetPeriod.DAY, "2026-11-10T12:00:00Z", "2026-11-11T10:15Z"],
  ])("in %s a %s ends at its midnight", async (zone, _name, period, now, end) => {
    await ledger.setTime(now);
    const accountId = await openAccount(zone);
    await limit(pool, accountId, budget(10_000n, period));
    await charge(accountId, 4_000n);
    expect(await resetOf(accountId)).toBe(end);
    await ledger.setTime(new Date(Date.parse(end) - 1));
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 4_000n });
    await ledger.setTime(end);
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 0n });
    await charge(accountId, 1_000n);
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 1_000n });
  });

  test.each([
    [
      "Berlin's clocks go forward",
      "Europe/Berlin",
      "2027-03-28T00:30:00Z",
      "2027-03-28T22:00Z",
      23,
    ],
    ["Berlin's clocks go back", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T23:00Z", 25],
    ["a day has no midnight", "Africa/Cairo", "2027-04-30T06:00:00Z", "2027-04-30T21:00Z", 23],
    [
      "a day has its midnight twice",
      "America/Havana",
      "2026-11-01T04:30:00Z",
      "2026-11-01T05:00Z",
      25,
    ],
  ])("where %s, the day of a budget in %s is the calendar's", async (_name, zone, now, end, hours) => {
    const begin = new Date(Date.parse(end) - hours * 3_600_000);
    const accountId = await openAccount(zone);
    await ledger.setTime(new Date(begin.getTime() - 1_000));
    await charge(accountId, 8_000n);
    await ledger.setTime(begin);
    await charge(accountId, 2_000n);
    await ledger.setTime(now);
    await limit(pool, accountId, daily);
    expect(await resetOf(accountId)).toBe(end);
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 2_000n });
    await ledger.setTime(end);
    await charge(accountId, 1_000n);
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 1_000n });
    const next = await resetOf(accountId);
    expect(Date.parse(next ?? "") - Date.parse(end)).toBe(24 * 3_600_000);
  });

  test("a budget that is set counts the charges since a midnight that divides an hour", async () => {
    const accountId = await openAccount("Asia/Kathmandu");
    const charges = [
      ["2026-10-31T18:14:59Z", 1_000n],
      ["2026-10-31T18:15:00Z", 20_000n],
      ["2026-10-31T19:30:00Z", 300_000n],
      ["2026-11-05T10:00:00Z", 4_000_000n],
    ] as const;
    for (const [at, amount] of charges) {
      await ledger.setTime(at);
      await charge(accountId, amount);
      await charge(accountId, amount, "other");
    }
    const month = budget(10n ** 10n, BudgetPeriod.MONTH);
    await limit(pool, accountId, month);
    await limit(pool, accountId, month, `${accountId}-k`);
    expect(await readUse(pool, `${accountId}-k`)).toMatchObject({ spentNanoUsd: 4_320_000n });
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 8_640_000n });
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
  });

  test("a new zone begins no period anew, and the next one ends in it", async () => {
    await ledger.setTime("2026-11-10T23:00:00Z");
    const accountId = await openAccount("UTC");
    await limit(pool, accountId, daily);
    await charge(accountId, 6_000n);
    await setTimeZone(pool, { accountId, timeZone: "Pacific/Kiritimati" });
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 6_000n });
    expect(await resetOf(accountId)).toBe("2026-11-11T00:00Z");
    await limit(pool, accountId, daily);
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 6_000n });
    expect(await resetOf(accountId)).toBe("2026-11-11T00:00Z");
    await ledger.setTime("2026-11-11T00:00:00Z");
    await charge(accountId, 3_000n);
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 3_000n });
    expect(await resetOf(accountId)).toBe("2026-11-11T10:00Z");
    await limit(pool, accountId, daily);
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 3_000n });
    await ledger.setTime("2026-11-11T10:00:00Z");
    expect(await resetOf(accountId)).toBe("2026-11-12T10:00Z");
  });

  test("a period without a charge goes on to its end, too, where the zone changes", async () => {
    await ledger.setTime("2026-11-01T12:00:00Z");
    const accountId = await openAccount("UTC");
    await limit(pool, accountId, daily);
    await charge(accountId, 6_000n);
    await ledger.setTime("2026-11-10T12:00:00Z");
    await setTimeZone(pool, { accountId, timeZone: "Asia/Tokyo" });
    expect(await resetOf(accountId)).toBe("2026-11-11T00:00Z");
    expect(await readUse(pool, accountId)).toMatchObject({ spentNanoUsd: 0n });
  });

  test.each([
    "",
    "Europe/Nowhere",
    "EST5EDT4",
    "<+03>-3",
    "europe/berlin",
  ])("the zone %j is refused by name", async (timeZone) => {
    const accountId = await openWallet(pool, rich);
    const refused = setTimeZone(pool, { accountId, timeZone });
    await expect(refused).rejects.toMatchObject({ code: "invalid_param", param: "time_zone" });
  });
});
