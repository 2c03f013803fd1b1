import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { growHold } from "../src/grow-hold.ts";
import { listEndUsers, listLimits } from "../src/limits.ts";
import { releaseHold } from "../src/release.ts";
import { createHoldTaker } from "../src/take-holds.ts";
import { verifyLedger } from "../src/verify/verify.ts";
import { createWalletLocks } from "../src/wallet-locks.ts";
import {
  createLedgerDatabase,
  openLedger,
  openWallet,
  readWallet,
  usageEvent,
} from "./ledger-database.ts";
import { limit } from "./limits-database.ts";
import { ModelAccount, type ModelLimits, userOwner } from "./limits-model.ts";

const holdMs = 60_000;

describe("a wallet, budgets of keys and end users, and requests in progress", () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  const micro = (max: bigint) => fc.bigInt(0n, max).map((amount) => amount * 1_000n);
  const pick = fc.nat();
  const request = fc.record({
    key: fc.nat(2),
    user: fc.nat(2),
    estimate: micro(40n),
    isWhole: fc.boolean(),
  });
  const budget = fc.option(
    micro(100n).map((amount) => amount + 1_000n),
    { nil: undefined },
  );
  const limits = fc.record({
    budget,
    userBudget: budget,
    parallel: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ requests: fc.array(request, { maxLength: 8 }) }) },
    { weight: 2, arbitrary: fc.record({ grows: pick, estimate: micro(30n) }) },
    {
      weight: 4,
      arbitrary: fc.record({ captures: fc.array(pick, { maxLength: 6 }), cost: micro(50n) }),
    },
    { weight: 1, arbitrary: fc.record({ releases: pick }) },
    { weight: 1, arbitrary: fc.record({ limits, owner: fc.nat(2) }) },
  );

  test("change as the model does, for any requests, growth, captures and limits of several keys", async () => {
    const property = fc.asyncProperty(
      micro(300n),
      fc.array(limits, { minLength: 3, maxLength: 3 }),
      fc.array(step, { maxLength: 25 }),
      async (opening, initial, steps) => {
        const run = await startRun(opening);
        for (const [owner, one] of initial.entries()) await run.setLimits(owner, one);
        for (const one of steps) {
          await run.take(one);
          await run.expectSame();
        }
      },
    );
    await fc.assert(property, { numRuns: 40, seed: 24 });
    expect((await verifyLedger(pool)).discrepancies).toEqual([]);
  }, 60_000);

  async function startRun(opening: bigint) {
    const accountId = await openWallet(pool, opening);
    const model = new ModelAccount(accountId, opening);
    /** The third key has no limits of its own. */
    const keys = [0, 1, 2].map((n) => `${accountId}/key-${n}`);
    const keyOf = (n: number) => keys[n] ?? expect.unreachable();
    const owners = [keyOf(0), keyOf(1), accountId];
    /** Requests of the first name no end user. */
    const users = ["", "ada", "bob"];
    const everyUser = keys.flatMap((keyId) => users.map((endUser) => ({ keyId, endUser })));
    const taker = createHoldTaker(pool, holdMs);
    const capture = createCapture(pool);
    let number = 0;

    function pickHold(n: number) {
      const holds = [...model.holds];
      const [holdId, hold] = holds[n % Math.max(1, holds.length)] ?? [];
      if (holdId === undefined || hold === undefined) return undefined;
      return { holdId, keyId: hold.keyId, endUser: hold.endUser };
    }

    async function takeAll(
      requests: readonly { key: number; user: number; estimate: bigint; isWhole: boolean }[],
    ) {
      const all = requests.map(({ key, user, ...one }) => {
        number += 1;
        const payer = { keyId: keyOf(key), endUser: users[user] ?? expect.unreachable() };
        return { holdId: `${accountId}/${number}`, ...payer, ...one };
      });
      const expected = all.map((one) => model.take(one.holdId, one));
      const grants = await Promise.all(
        all.map(({ estimate: estimateNanoUsd, ...one }) =>
          taker({ accountId, estimateNanoUsd, ...one }),
        ),
      );
      expect(
        grants.map(({ heldNanoUsd, refusal }) => ({ amount: heldNanoUsd, refusal: refusal?.kind })),
      ).toEqual(expected);
    }

    async function captureAll(picks: readonly number[], cost: bigint): Promise<void> {
      const picked = new Set(picks.map((n) => pickHold(n)?.holdId ?? ""));
      const events = [...picked].map((holdId) => {
        const { keyId, endUser } = model.holds.get(holdId) ?? { keyId: keyOf(0), endUser: "ada" };
        model.capture(holdId, { keyId, endUser }, cost);
        return usageEvent({ accountId, keyId, endUser, holdId, costNanoUsd: cost });
      });
      await Promise.all(events.map((event) => capture(event)));
    }

    return {
      async setLimits(owner: number, { budget, parallel, ...ofKey }: ModelLimits): Promise<void> {
        const ownerId = owners[owner] ?? expect.unreachable();
        const userBudget = ownerId === accountId ? undefined : ofKey.userBudget;
        const period = BudgetPeriod.TOTAL;
        await limit(
          pool,
          accountId,
          {
            ...(budget !== undefined && { budget: { amountNanoUsd: budget, period } }),
            ...(parallel !== undefined && { parallel }),
            ...(userBudget !== undefined && {
              budgetPerUser: { amountNanoUsd: userBudget, period: BudgetPeriod.MONTH },
            }),
          },
          ownerId,
        );
        const set = { budget, parallel, userBudget };
        if (Object.values(set).every((one) => one === undefined)) model.limits.delete(ownerId);
        else model.limits.set(ownerId, set);
      },
      async take(one: Step): Promise<void> {
        if ("requests" in one) return takeAll(one.requests);
        if ("captures" in one) return captureAll(one.captures, one.cost);
        if ("limits" in one) return this.setLimits(one.owner, one.limits);
        const hold = pickHold("grows" in one ? one.grows : one.releases);
        if (hold === undefined) return;
        if ("grows" in one) {
          const growth = { accountId, ...hold, estimateNanoUsd: one.estimate };
          const { heldNanoUsd } = await growHold(pool, growth, holdMs);
          expect(heldNanoUsd).toBe(model.grow(hold.holdId, one.estimate));
          return;
        }
        await releaseHold(pool, createWalletLocks(pool), hold.holdId);
        model.holds.delete(hold.holdId);
      },
      async expectSame(): Promise<void> {
        const { balance } = model;
        const wallet = { balance, held: model.held(), entries: balance };
        expect(await readWallet(pool, accountId)).toEqual(wallet);
        const uses = await listLimits(pool, owners);
        expect(uses.map(({ ownerId }) => ownerId).sort()).toEqual([...model.limits.keys()].sort());
        const ofUsers = await Promise.all(
          keys.map((keyId) => listEndUsers(pool, { keyId, limit: 0 })),
        );
        const listed = ofUsers.flat().map(({ ownerId }) => ownerId);
        // A user has limits from the first hold on.
        const holding = everyUser.map(userOwner).filter((owner) => model.hasUserHold(owner));
        expect(listed).toEqual(expect.arrayContaining(holding));
        for (const { ownerId, spentNanoUsd, heldNanoUsd, inProgress } of [
          ...uses,
          ...ofUsers.flat(),
        ]) {
          expect({ spentNanoUsd, heldNanoUsd, inProgress }).toEqual({
            spentNanoUsd: model.spent(ownerId),
            heldNanoUsd: model.held(ownerId),
            inProgress: model.inProgress(ownerId),
          });
        }
      },
    };
  }
});

type Step =
  | { requests: { key: number; user: number; estimate: bigint; isWhole: boolean }[] }
  | { captures: number[]; cost: bigint }
  | { grows: number; estimate: bigint }
  | { releases: number }
  | { limits: ModelLimits; owner: number };
