import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { minOf } from "@tollgate/core/money";
import {
  Outcome,
  RequestTrailSchema,
  type UsageLine,
  UsageLineSchema,
} from "@tollgate/proto/tollgate/v1/usage";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { createCapture } from "../src/capture.ts";
import { sumSpend } from "../src/read-entries.ts";
import { releaseExpiredHolds, releaseHold } from "../src/release.ts";
import { createHoldTaker } from "../src/take-holds.ts";
import { topUp } from "../src/wallet.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import {
  createLedgerDatabase,
  openLedger,
  openWallet,
  readWallet,
  usageEvent,
} from "./ledger-database.ts";
import { settle } from "./settlement-model.ts";

describe("captures", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  test("change a wallet as the model does, for any balance, holds, costs and reported costs", async () => {
    const micro = (max: number) => fc.integer({ min: 0, max }).map((n) => BigInt(n) * 1_000n);
    const call = fc.record({
      estimateNanoUsd: micro(500).filter((amount) => amount > 0n),
      cost: micro(800),
      reportsAll: fc.boolean(),
      fails: fc.boolean(),
      expires: fc.boolean(),
    });
    const property = fc.asyncProperty(
      micro(2_000),
      fc.array(call, { maxLength: 12 }),
      async (opening, calls) => {
        const accountId = await openWallet(pool, opening);
        const take = createHoldTaker(pool, 60_000);
        const model = { balance: opening, held: 0n };
        const events = [];
        for (const [
          index,
          { estimateNanoUsd, cost, reportsAll, fails, expires },
        ] of calls.entries()) {
          const holdId = `${accountId}-${index}`;
          const { heldNanoUsd: held } = await take({ holdId, accountId, estimateNanoUsd });
          const available = model.balance - model.held;
          expect(held).toBe(minOf(estimateNanoUsd, available));
          if (expires) await releaseHold(pool, createWalletLocks(pool), holdId);
          else model.held += held;
          const event = usageEvent({
            accountId,
            holdId,
            costNanoUsd: cost,
            outcome: fails ? Outcome.FAILED : Outcome.COMPLETED,
            ...(reportsAll ? {} : { reportedNanoUsd: minOf(cost, held) }),
          });
          events.push({ event, hold: expires ? 0n : held });
        }
        const capture = createCapture(pool);
        await Promise.all(events.map(({ event }) => capture(event)));
        for (const { event, hold } of events) settle(model, hold, event);
        const wallet = await readWallet(pool, accountId);
        expect(wallet).toEqual({ ...model, entries: model.balance });
      },
    );
    await fc.assert(property, { numRuns: 60 });
  }, 240_000);

  test("an event delivered many times over several replicas is charged once", async () => {
    const accountId = await openWallet(pool, 1_000_000n);
    const event = usageEvent({ accountId, costNanoUsd: 10_000n });
    const replicas = Array.from({ length: 5 }, () => createCapture(pool));
    await Promise.all(replicas.flatMap((capture) => [capture(event), capture(event)]));
    expect(await readWallet(pool, accountId)).toEqual({
      balance: 990_000n,
      held: 0n,
      entries: 990_000n,
    });
  });

  test("a batch charges a repeated event once, and gives a hold to its first event", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const holdId = `${accountId}-hold`;
    await createHoldTaker(pool, 60_000)({ holdId, accountId, estimateNanoUsd: 90_000n });
    const capture = createCapture(pool);
    const twice = usageEvent({ accountId, costNanoUsd: 1_000n });
    const first = usageEvent({ accountId, holdId, costNanoUsd: 60_000n });
    const second = usageEvent({ accountId, holdId, costNanoUsd: 60_000n });
    const free = usageEvent({ accountId, costNanoUsd: 0n });
    await Promise.all([free, twice, twice, first, second].map(capture));
    expect(await readWallet(pool, accountId)).toEqual({ balance: 0n, held: 0n, entries: 0n });
    const { rows } = await pool.query<{ amount: bigint; uncollected: bigint }>(
      `SELECT amount_nano_usd AS amount, uncollected_nano_usd AS uncollected
       FROM entry WHERE account_id = $1 AND kind = 'usage' ORDER BY amount_nano_usd`,
      [accountId],
    );
    expect(rows).toEqual([
      { amount: -60_000n, uncollected: 0n },
      { amount: -39_000n, uncollected: 21_000n },
      { amount: -1_000n, uncollected: 0n },
      { amount: 0n, uncollected: 0n },
    ]);
  });

  test("a statement that begins with recorded events records the others unchanged", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const capture = createCapture(pool);
    const chargeId = `charge_${accountId}`;
    const first = usageEvent({ accountId, chargeId, costNanoUsd: 1_000n });
    const second = usageEvent({ accountId, costNanoUsd: 2_000n });
    await Promise.all([first, second].map(capture));
    const about = { accountId, costNanoUsd: 7_000n };
    const repeated = usageEvent({ ...about, chargeId, providerUsage: "[0]", trail: trailOf("a") });
    const other = usageEvent({ ...about, providerUsage: "[7]", trail: trailOf("b") });
    const query = vi.spyOn(pool, "query");
    onTestFinished(() => query.mockRestore());
    await Promise.all([first, second, repeated, other].map(capture));
    // A failed statement is retried event by event, which would hide the failure.
    expect(query).toHaveBeenCalledTimes(1);
    const { rows } = await pool.query(
      `SELECT event_id AS id, amount_nano_usd AS amount, provider_usage AS usage, reference,
         t.error_code AS code, t.trail ->> 3 AS trail_code
       FROM entry e LEFT JOIN request_trail t ON t.entry_id = e.id
       WHERE e.account_id = $1 AND kind = 'usage'`,
      [accountId],
    );
    const none = { usage: null, reference: "", code: null, trail_code: null };
    const expected = [
      { ...none, id: first.id, amount: -1_000n },
      { ...none, id: second.id, amount: -2_000n },
      {
        id: repeated.id,
        amount: 0n,
        usage: "[0]",
        reference: chargeId,
        code: "a",
        trail_code: "a",
      },
      { id: other.id, amount: -7_000n, usage: "[7]", reference: "", code: "b", trail_code: "b" },
    ];
    expect(new Set(rows)).toEqual(new Set(expected));
  });

  test("an entry contains its event's texts and numbers unchanged", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const texts = {
      alias: 'a "quoted" name, (with) {braces}',
      provider: "back\\slash\\",
      upstreamModel: "",
      unitType: "NULL",
      plan: 'a "plan"',
      basis: "naïve 字 😀 \n\t\u007f\u2028'\\\"",
    };
    const numbers = {
      quantity: 1n,
      promptTokens: 2n,
      completionTokens: 3n,
      cachedPromptTokens: 4n,
      corpusSize: 5n,
      costNanoUsd: 6_000n,
      reportedNanoUsd: 4_000n,
      providerCostNanoUsd: 1_234n,
    };
    const occurredAt = timestampFromDate(new Date("2026-01-02T03:04:05.678Z"));
    const payer = { keyId: "key_1", endUser: "0123456789abcdef" };
    const links = { ...payer, conversationId: "conv_1", chargeId: `${accountId}-charge` };
    const lines = [
      lineOf('a "quoted", {braced} name', 1n, 2n ** 64n - 1n),
      lineOf("tool:x", 2n ** 63n - 1n, 0n),
    ];
    const providerUsage = '{"text":"\\"a\\\\b\\"","字":[1,{}]}';
    const usage = { lines, providerUsage };
    const event = usageEvent({ accountId, ...texts, ...numbers, ...links, ...usage, occurredAt });
    await createCapture(pool)(event);
    const { rows } = await pool.query("SELECT * FROM entry WHERE event_id = $1", [event.id]);
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^entry_/),
        event_id: event.id,
        request_id: event.requestId,
        account_id: accountId,
        key_id: "key_1",
        end_user: "0123456789abcdef",
        kind: "usage",
        route_type: "chat",
        alias: texts.alias,
        provider: texts.provider,
        upstream_model: "",
        unit_type: "NULL",
        basis: texts.basis,
        quantity: 1n,
        prompt_tokens: 2n,
        completion_tokens: 3n,
        cached_prompt_tokens: 4n,
        corpus_size: 5n,
        lines: [
          ['a "quoted", {braced} name', "1", "18446744073709551615", "1000000", "6000"],
          ["tool:x", "9223372036854775807", "0", "1000000", "6000"],
        ],
        provider_usage: providerUsage,
        cost_nano_usd: 6_000n,
        amount_nano_usd: -4_000n,
        uncollected_nano_usd: 2_000n,
        provider_cost_nano_usd: 1_234n,
        plan: texts.plan,
        reason: null,
        conversation_id: "conv_1",
        charge_id: `${accountId}-charge`,
        reference: "",
        occurred_at: new Date("2026-01-02T03:04:05.678Z"),
        recorded_at: expect.any(Date),
      },
    ]);
  });

  test("runs with one charge id are charged once together, in any order", async () => {
    const accountId = await openWallet(pool, 1_000_000n);
    const take = createHoldTaker(pool, 60_000);
    const events = [];
    for (const run of [1, 2, 3]) {
      const holdId = `${accountId}-run-${run}`;
      await take({ holdId, accountId, estimateNanoUsd: 20_000n });
      const chargeId = `${accountId}-charge`;
      events.push(usageEvent({ accountId, holdId, chargeId, costNanoUsd: BigInt(run) * 5_000n }));
    }
    const failed = usageEvent({ accountId, chargeId: `${accountId}-charge` });
    failed.outcome = Outcome.FAILED;
    const replicas = [createCapture(pool), createCapture(pool)];
    await replicas[0]?.(failed);
    await Promise.all(events.map((event, index) => replicas[index % 2]?.(event)));
    const wallet = await readWallet(pool, accountId);
    expect(wallet).toMatchObject({ held: 0n, balance: wallet?.entries });
    const { rows } = await pool.query<{ amount: bigint; reference: string }>(
      "SELECT amount_nano_usd AS amount, reference FROM entry WHERE account_id = $1 AND kind = 'usage'",
      [accountId],
    );
    expect(rows.filter(({ amount }) => amount < 0n)).toHaveLength(1);
    expect(rows.filter(({ reference }) => reference === `${accountId}-charge`)).toHaveLength(2);
  });

  test("an account without a wallet gets no hold, and its usage is recorded as uncollected", async () => {
    const take = createHoldTaker(pool, 60_000);
    const request = { holdId: "h", accountId: "acct_none", estimateNanoUsd: 5_000n };
    expect((await take(request)).heldNanoUsd).toBe(0n);
    const event = usageEvent({ accountId: "acct_none", costNanoUsd: 5_000n });
    await createCapture(pool)(event);
    const { rows } = await pool.query(
      "SELECT amount_nano_usd, uncollected_nano_usd FROM entry WHERE event_id = $1",
      [event.id],
    );
    expect(rows).toEqual([{ amount_nano_usd: 0n, uncollected_nano_usd: 5_000n }]);
  });

  test("an expired hold is released once, also by two replicas, and its late event still charges", async () => {
    const accountId = await openWallet(pool, 100_000n);
    const { heldNanoUsd } = await createHoldTaker(
      pool,
      0,
    )({ holdId: "late", accountId, estimateNanoUsd: 40_000n });
    expect(heldNanoUsd).toBe(40_000n);
    await expect
      .poll(() => Promise.all([releaseExpiredHolds(pool, 0), releaseExpiredHolds(pool, 0)]))
      .toContain(1);
    expect(await readWallet(pool, accountId)).toMatchObject({ held: 0n });
    const event = usageEvent({ accountId, holdId: "late", costNanoUsd: 30_000n });
    await createCapture(pool)(event);
    expect(await readWallet(pool, accountId)).toEqual({
      balance: 70_000n,
      held: 0n,
      entries: 70_000n,
    });
  });

  test.each([
    ["changed", "UPDATE entry SET amount_nano_usd = 0"],
    ["deleted", "DELETE FROM entry"],
    ["truncated", "TRUNCATE entry"],
  ])("entries cannot be %s", async (_, statement) => {
    await openWallet(pool, 1_000n);
    await expect(pool.query(statement)).rejects.toThrow("append-only");
  });

  test.each([
    ["a balance", "UPDATE wallet SET balance_nano_usd = balance_nano_usd + 1"],
    ["a held amount", "UPDATE wallet SET held_nano_usd = held_nano_usd + 1"],
    ["a recorded event", "DELETE FROM recorded_event"],
    ["an hour's spend", "UPDATE spend_hour SET charged_nano_usd = 0"],
    ["a new wallet with money", "INSERT INTO wallet VALUES ('acct_rich', 5, 0)"],
    ["a deleted wallet", "DELETE FROM wallet"],
  ])("the database refuses a direct change of %s", async (_, statement) => {
    const accountId = await openWallet(pool, 1_000n);
    await createCapture(pool)(usageEvent({ accountId, costNanoUsd: 1_000n }));
    await expect(pool.query(statement)).rejects.toThrow("only through entries and holds");
  });

  test.each([
    ["wallets", "TRUNCATE wallet"],
    ["holds", "TRUNCATE hold"],
  ])("%s cannot be truncated", async (_, statement) => {
    await expect(pool.query(statement)).rejects.toThrow("only through entries and holds");
  });

  test("the spend is the sum of full hours and of the entries in the first one", async () => {
    const accountId = await openWallet(pool, 1_000_000n);
    const capture = createCapture(pool);
    for (const cost of [1_000n, 2_000n, 4_000n, 8_000n]) {
      await capture(usageEvent({ accountId, costNanoUsd: cost }));
    }
    await pool.query("ALTER TABLE entry DISABLE TRIGGER USER");
    await pool.query("ALTER TABLE spend_hour DISABLE TRIGGER USER");
    const { rows } = await pool.query<{ hour: Date }>("SELECT date_trunc('hour', now()) AS hour");
    const hour = rows[0]?.hour.getTime() ?? 0;
    const at = (minutes: number) => new Date(hour + minutes * 60_000);
    const times = [at(-121), at(-90), at(-61), at(-1)];
    for (const [index, time] of times.entries()) {
      await pool.query(
        "UPDATE entry SET recorded_at = $2 WHERE account_id = $1 AND amount_nano_usd = $3",
        [accountId, time, -1_000 * 2 ** index],
      );
    }
    await pool.query("DELETE FROM spend_hour WHERE account_id = $1", [accountId]);
    await pool.query(
      `INSERT INTO spend_hour SELECT account_id, date_trunc('hour', recorded_at, 'UTC'),
         -sum(amount_nano_usd) FROM entry WHERE account_id = $1 AND kind = 'usage' GROUP BY 1, 2`,
      [accountId],
    );
    await pool.query("ALTER TABLE entry ENABLE TRIGGER USER");
    await pool.query("ALTER TABLE spend_hour ENABLE TRIGGER USER");
    const spends = [];
    for (const minutes of [-122, -120, -90, -75, -60, 0]) {
      spends.push(await sumSpend(pool, accountId, at(minutes)));
    }
    expect(spends).toEqual([15_000n, 14_000n, 14_000n, 12_000n, 8_000n, 0n]);
  });

  test("a balance never exceeds the maximum", async () => {
    const most = 10n ** 18n;
    const accountId = await openWallet(pool, most - 1_000n);
    const more = { accountId, reference: "more", at: new Date() };
    for (const amountNanoUsd of [2_000n, most + 1_000n, 2n ** 63n - 807n]) {
      await expect(topUp(pool, { ...more, amountNanoUsd })).rejects.toMatchObject({
        code: "invalid_param",
        param: "amount",
      });
    }
    expect((await topUp(pool, { ...more, amountNanoUsd: 1_000n })).credited).toBe(true);
  });
});

function lineOf(dimension: string, quantity: bigint, pricePicoUsd: bigint): UsageLine {
  const amountNanoUsd = 6_000n;
  const line = { dimension, quantity, pricePicoUsd, per: 1_000_000n, amountNanoUsd };
  return create(UsageLineSchema, line);
}

function trailOf(errorCode: string) {
  return create(RequestTrailSchema, { errorCode });
}
