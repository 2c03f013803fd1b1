import { create } from "@bufbuild/protobuf";
import { PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import type { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import {
  BudgetPeriod,
  LimitKind,
  type LimitRefusal,
  LimitRefusalSchema,
} from "@tollgate/proto/tollgate/v1/limits";
import type { Client } from "@tollgate/rpc/implementation";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createHolds } from "./holds.ts";

const expiresInMs = 30_000;
const limited = { accountId: "account", keyId: "key", isLimited: true };
const rates = { requests: { limit: 60n, remaining: 0n, resetMs: 60_000 } };
const payer = { accountId: "account", keyId: "key", isLimited: false };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/**
 * A ledger that can be down. The wallet has `free` nano-USD available for a hold, and then `left` for
 * its growth.
 */
function world(wallet: { free?: bigint; left?: bigint; balance?: bigint; isBusy?: boolean } = {}) {
  const { free = 1_000_000n, isBusy = false } = wallet;
  const { left = free, balance = free + 7_000n } = wallet;
  const extended: string[][] = [];
  const released: string[] = [];
  const up = { ledger: true };
  const refusals: { hold?: LimitRefusal; grow?: LimitRefusal } = {};
  const asked: { estimateNanoUsd: bigint; keyId: string; tokens: bigint }[] = [];
  const ledger = {
    async hold(request: {
      estimateNanoUsd: bigint;
      isWhole: boolean;
      aloneBelowNanoUsd: bigint;
      keyId: string;
      tokens: bigint;
    }) {
      if (!up.ledger) throw new PeerError("deadline", "timed out");
      const { estimateNanoUsd, isWhole, aloneBelowNanoUsd, keyId, tokens } = request;
      asked.push({ estimateNanoUsd, keyId, tokens });
      if (refusals.hold !== undefined) {
        const nothing = { heldNanoUsd: 0n, walletHeldNanoUsd: 0n, walletBalanceNanoUsd: 0n };
        return { ...nothing, refusal: refusals.hold, rates, expiresInMs };
      }
      const refuses = (isWhole && estimateNanoUsd > free) || (isBusy && aloneBelowNanoUsd > free);
      const heldNanoUsd = refuses ? 0n : estimateNanoUsd < free ? estimateNanoUsd : free;
      const walletBalanceNanoUsd = balance;
      return { heldNanoUsd, walletHeldNanoUsd: 7_000n, walletBalanceNanoUsd, expiresInMs };
    },
    async growHold({ estimateNanoUsd }: { estimateNanoUsd: bigint }) {
      if (refusals.grow !== undefined) {
        return { addedNanoUsd: 0n, walletHeldNanoUsd: 7_000n, refusal: refusals.grow };
      }
      const addedNanoUsd = estimateNanoUsd < left ? estimateNanoUsd : left;
      return { addedNanoUsd, walletHeldNanoUsd: 7_000n + addedNanoUsd };
    },
    async extendHolds({ holdIds }: { holdIds: string[] }) {
      if (!up.ledger) throw new PeerError("unavailable", "down");
      extended.push(holdIds);
      return {};
    },
    async releaseHold({ holdId }: { holdId: string }) {
      if (!up.ledger) throw new PeerError("unavailable", "down");
      released.push(holdId);
      return {};
    },
  } as unknown as Client<typeof LedgerService>;
  const metrics = createMetrics();
  const log = createLog("silent");
  const runningRequests = { begin: vi.fn(), end: vi.fn() };
  const holds = createHolds({ ledger, log, metrics, runningRequests, busyFrom: 0 });
  const counted = async (result: string) => {
    const { values } = await metrics.holds.get();
    return values.find(({ labels }) => labels.result === result)?.value ?? 0;
  };
  const open = async () => (await metrics.openHolds.get()).values[0]?.value ?? 0;
  const refused = async () =>
    Object.fromEntries(
      (await metrics.limitRefusals.get()).values.map(({ labels, value }) => [labels.limit, value]),
    );
  return {
    holds,
    runningRequests,
    up,
    extended,
    released,
    open,
    refusals,
    asked,
    refused,
    counted,
  };
}

test("a hold is extended until its request has ended", async () => {
  const { holds, extended, open } = world();
  const one = await holds.take("one", payer, 5_000n);
  expect(one.amount).toBe(5_000n);
  const two = await holds.take("two", payer, 5_000n);
  expect(await open()).toBe(2);
  await vi.advanceTimersByTimeAsync(expiresInMs / 2);
  expect(extended).toEqual([["one", "two"]]);
  one.stopExtending();
  one.stopExtending();
  expect(await open()).toBe(1);
  await vi.advanceTimersByTimeAsync(expiresInMs / 3);
  expect(extended).toEqual([["one", "two"], ["two"]]);
  two.stopExtending();
  await vi.advanceTimersByTimeAsync(expiresInMs * 3);
  expect(extended).toHaveLength(2);
  expect(await open()).toBe(0);
  holds.stop();
});

test("a stopped process extends no holds", async () => {
  const { holds, extended } = world();
  await holds.take("one", payer, 5_000n);
  holds.stop();
  await vi.advanceTimersByTimeAsync(expiresInMs);
  expect(extended).toEqual([]);
});

test("a failed extension is retried at once", async () => {
  const { holds, up, extended } = world();
  await holds.take("one", payer, 5_000n);
  up.ledger = false;
  await vi.advanceTimersByTimeAsync(expiresInMs / 2);
  expect(extended).toEqual([]);
  up.ledger = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(extended).toEqual([["one"]]);
  holds.stop();
});

test("a hold whose response was lost is released, and the request refused", async () => {
  const { holds, up, released, extended } = world();
  up.ledger = false;
  await expect(holds.take("lost", payer, 5_000n)).rejects.toMatchObject({
    code: "no_provider_available",
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(released).toEqual([]);
  up.ledger = true;
  await vi.advanceTimersByTimeAsync(expiresInMs);
  expect(released).toEqual(["lost"]);
  expect(extended).toEqual([]);
  holds.stop();
});

test("a hold that has expired is not released any more", async () => {
  const { holds, up, released } = world();
  up.ledger = false;
  for (const id of ["one", "two"]) await holds.take(id, payer, 5_000n).catch(() => {});
  await vi.advanceTimersByTimeAsync(59_000);
  await holds.take("three", payer, 5_000n).catch(() => {});
  await vi.advanceTimersByTimeAsync(2_000);
  up.ledger = true;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(released).toEqual(["three"]);
  holds.stop();
});

test("a request is refused when the wallet has nothing available, and no hold is extended", async () => {
  const { holds, extended, open } = world({ free: 0n });
  await expect(holds.take("none", payer, 5_000n)).rejects.toMatchObject({
    code: "credit_balance_exhausted",
    message: expect.stringContaining("0.000007"),
  });
  await vi.advanceTimersByTimeAsync(expiresInMs);
  expect(extended).toEqual([]);
  expect(await open()).toBe(0);
  holds.stop();
});

test.each([
  ["its estimate", {}, 5_000n],
  ["what it must be held alone below", { aloneBelow: 3_000n }, 3_000n],
])("a request is refused where less than %s is available, and other requests hold the rest", async (_, terms, below) => {
  const { holds } = world({ free: below - 1_000n, isBusy: true });
  await expect(holds.take("short", payer, 5_000n, terms)).rejects.toMatchObject({
    code: "credit_balance_exhausted",
    message: expect.stringMatching(
      new RegExp(`about 0.00000${below / 1_000n} USD .* has 0.00000${below / 1_000n - 1n} USD`),
    ),
  });
  const other = world({ free: below, isBusy: true });
  expect((await other.holds.take("payable", payer, 5_000n, terms)).amount).toBe(below);
  for (const one of [holds, other.holds]) one.stop();
});

test("a request that costs nothing calls no ledger", async () => {
  const { holds, up, open } = world();
  up.ledger = false;
  const hold = await holds.take("free", payer, 0n);
  expect([hold.amount, await open()]).toEqual([0n, 0]);
  expect(hold.settle(0n, 0n)).toMatchObject({ holdId: "", sharedHoldId: "", sharedNanoUsd: 0n });
  holds.stop();
});

test("a growth that is refused is counted, and one that is granted in part is not", async () => {
  const { holds, counted } = world({ left: 300n });
  const hold = await holds.take("one", payer, 5_000n);
  expect(await hold.grow(1_000n)).toBe(300n);
  expect([hold.amount, await counted("grow_refused")]).toEqual([5_300n, 0]);
  holds.stop();
  const spent = world({ left: 0n });
  const other = await spent.holds.take("two", payer, 5_000n);
  await expect(other.grow(1_000n)).rejects.toMatchObject({ code: "credit_balance_exhausted" });
  expect([other.amount, await spent.counted("grow_refused")]).toEqual([5_000n, 1]);
  spent.holds.stop();
});

test("a refusal names the policy only to an account that has it", async () => {
  // The balance was read before the charges that have emptied the wallet since.
  const { holds } = world({ free: 0n, balance: 5_000_000n });
  await expect(holds.take("one", payer, 5_000n)).rejects.toMatchObject({
    message: expect.not.stringContaining("whole"),
  });
  holds.stop();
});

test("a request that must hold its complete estimate is refused where less is available", async () => {
  const { holds } = world({ free: 5_000_000n });
  const hold = await holds.take("fits", payer, 5_000_000n, { isWhole: true });
  expect(hold.amount).toBe(5_000_000n);
  await expect(holds.take("large", payer, 6_000_000n, { isWhole: true })).rejects.toMatchObject({
    code: "credit_balance_exhausted",
    message: expect.stringMatching(/up to 0.006000 USD, and the wallet has 0.005000 USD available/),
  });
});

test("a request that a rate refuses is told when to retry, and what the rates are", async () => {
  const { holds, refusals, extended, open, refused } = world();
  refusals.hold = create(LimitRefusalSchema, {
    kind: LimitKind.REQUESTS,
    limits: { requestsPerMinute: 60 },
    retryAfterMs: 1_500,
  });
  await expect(holds.take("one", limited, 5_000n)).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterSeconds: 2,
    rates,
  });
  expect([await open(), await refused()]).toEqual([0, { requests: 1 }]);
  await vi.advanceTimersByTimeAsync(expiresInMs);
  expect(extended).toEqual([]);
  holds.stop();
});

test("a budget that is used up refuses a hold, and its growth", async () => {
  const { holds, refusals, refused } = world();
  const budget = { amountNanoUsd: 5_000_000_000n, period: BudgetPeriod.TOTAL };
  const refusal = create(LimitRefusalSchema, { kind: LimitKind.BUDGET, limits: { budget } });
  const hold = await holds.take("one", limited, 5_000n);
  refusals.grow = refusal;
  const exhausted = { code: "credit_balance_exhausted" };
  await expect(hold.grow(1_000n)).rejects.toMatchObject(exhausted);
  refusals.hold = refusal;
  await expect(holds.take("two", limited, 5_000n)).rejects.toMatchObject(exhausted);
  expect(await refused()).toEqual({ budget: 2 });
  holds.stop();
});

test("a free request of a key with limits is counted by the ledger", async () => {
  const { holds, asked, open } = world();
  const hold = await holds.take("free", limited, 0n, { tokens: 12n });
  expect(asked).toEqual([{ estimateNanoUsd: 0n, keyId: "key", tokens: 12n }]);
  expect([hold.amount, await open()]).toEqual([0n, 1]);
  expect(hold.settle(0n, 9n)).toMatchObject({ holdId: "free", sharedHoldId: "" });
  holds.stop();
});
