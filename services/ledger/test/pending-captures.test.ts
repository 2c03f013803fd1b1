import { LimitKind } from "@tollgate/proto/tollgate/v1/limits";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { createCapture } from "../src/capture.ts";
import { createLedgerHolds } from "../src/holds.ts";
import { type PendingCaptures, trackCaptures } from "../src/pending-captures.ts";
import {
  createLedgerDatabase,
  openLedger,
  openWallet,
  readWallet,
  usageEvent,
} from "./ledger-database.ts";
import { limit } from "./limits-database.ts";

describe("pending captures", () => {
  let pool: pg.Pool;
  const { signal } = new AbortController();

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  /** Captures that begin when `begin` is called. `flushed` resolves on the first flush. */
  function delayedCaptures(): PendingCaptures & { begin(): void; flushed: Promise<void> } {
    const flushed = Promise.withResolvers<void>();
    const start = Promise.withResolvers<void>();
    const capture = createCapture(pool);
    const late = async (event: UsageEvent) => {
      await start.promise;
      await capture(event);
    };
    const captures = trackCaptures(Object.assign(late, { flush: capture.flush }));
    const flush = () => {
      flushed.resolve();
      return captures.flush();
    };
    return { ...captures, flush, begin: start.resolve, flushed: flushed.promise };
  }

  test("are counted until they end", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const captures = delayedCaptures();
    const ended = [1, 2].map(() => captures.capture(usageEvent({ accountId })));
    expect(captures.count()).toBe(2);
    captures.begin();
    await Promise.all(ended);
    await captures.flush();
    expect(captures.count()).toBe(0);
  });

  test("are awaited by a hold that lacks money, which then gets what they release", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const captures = delayedCaptures();
    const { takeHold, growHold } = createLedgerHolds(pool, 60_000, captures);
    const [first, second] = [`${accountId}-1`, `${accountId}-2`];
    expect(
      await takeHold({ holdId: first, accountId, estimateNanoUsd: 9_000n }, signal),
    ).toMatchObject({ heldNanoUsd: 9_000n });
    void captures.capture(usageEvent({ accountId, holdId: first, costNanoUsd: 2_000n }));
    const taken = takeHold({ holdId: second, accountId, estimateNanoUsd: 5_000n }, signal);
    await captures.flushed;
    captures.begin();
    expect(await taken).toEqual({
      heldNanoUsd: 5_000n,
      walletHeldNanoUsd: 5_000n,
      walletBalanceNanoUsd: 8_000n,
    });
    const request = { holdId: second, accountId, estimateNanoUsd: 5_000n };
    expect(await growHold(request, signal)).toEqual({
      heldNanoUsd: 3_000n,
      walletHeldNanoUsd: 8_000n,
      walletBalanceNanoUsd: 8_000n,
    });
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 8_000n, held: 8_000n });
  });

  test("are awaited by a hold that needs its complete estimate", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const captures = delayedCaptures();
    const { takeHold } = createLedgerHolds(pool, 60_000, captures);
    const [first, second] = [`${accountId}-1`, `${accountId}-2`];
    const part = { accountId, estimateNanoUsd: 8_000n, isWhole: true };
    expect(await takeHold({ ...part, holdId: first }, signal)).toMatchObject({
      heldNanoUsd: 8_000n,
    });
    void captures.capture(usageEvent({ accountId, holdId: first, costNanoUsd: 2_000n }));
    const taken = takeHold({ ...part, holdId: second }, signal);
    await captures.flushed;
    captures.begin();
    const balance = { walletHeldNanoUsd: 8_000n, walletBalanceNanoUsd: 8_000n };
    expect(await taken).toEqual({ heldNanoUsd: 8_000n, ...balance });
    const refused = await takeHold({ ...part, holdId: `${accountId}-3` }, signal);
    expect(refused).toEqual({ heldNanoUsd: 0n, ...balance });
  });

  test("add nothing to a hold whose caller disconnected", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const captures = delayedCaptures();
    const { takeHold } = createLedgerHolds(pool, 60_000, captures);
    const [first, second] = [`${accountId}-1`, `${accountId}-2`];
    await takeHold({ holdId: first, accountId, estimateNanoUsd: 10_000n }, signal);
    const captured = captures.capture(
      usageEvent({ accountId, holdId: first, costNanoUsd: 2_000n }),
    );
    const caller = new AbortController();
    const taken = takeHold({ holdId: second, accountId, estimateNanoUsd: 5_000n }, caller.signal);
    caller.abort();
    await captures.flushed;
    captures.begin();
    await captured;
    expect(await taken).toMatchObject({ heldNanoUsd: 0n });
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 8_000n, held: 0n });
  });

  test("are not awaited by a request beyond the requests of its minute", async () => {
    const accountId = await openWallet(pool, 10_000n);
    await limit(pool, accountId, { requestsPerMinute: 1 });
    const captures = delayedCaptures();
    const flush = vi.spyOn(captures, "flush");
    const { takeHold } = createLedgerHolds(pool, 60_000, captures);
    const [first, second] = [`${accountId}-1`, `${accountId}-2`];
    await takeHold({ holdId: first, accountId, estimateNanoUsd: 1_000n }, signal);
    const captured = captures.capture(usageEvent({ accountId, holdId: first }));
    const refused = await takeHold({ holdId: second, accountId, estimateNanoUsd: 1n }, signal);
    expect(refused.refusal?.kind).toBe(LimitKind.REQUESTS);
    expect(flush).not.toHaveBeenCalled();
    captures.begin();
    await captured;
  });

  test("are awaited no longer than a second", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const captures = delayedCaptures();
    const { takeHold } = createLedgerHolds(pool, 60_000, captures);
    const captured = captures.capture(usageEvent({ accountId, costNanoUsd: 2_000n }));
    const request = { holdId: `${accountId}-1`, accountId, estimateNanoUsd: 12_000n };
    expect(await takeHold(request, signal)).toMatchObject({ heldNanoUsd: 10_000n });
    captures.begin();
    await captured;
  });

  test("are not awaited by a hold that gets its estimate", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const captures = delayedCaptures();
    const { takeHold } = createLedgerHolds(pool, 60_000, captures);
    const captured = captures.capture(usageEvent({ accountId, costNanoUsd: 2_000n }));
    const request = { holdId: `${accountId}-1`, accountId, estimateNanoUsd: 9_000n };
    expect(await takeHold(request, signal)).toMatchObject({ heldNanoUsd: 9_000n });
    captures.begin();
    await captured;
  });

  test("are flushed when a caller waits for them", async () => {
    const started = Promise.withResolvers<void>();
    const capture = () => started.promise;
    const captures = trackCaptures(Object.assign(capture, { flush: started.resolve }));
    void captures.capture(usageEvent({ accountId: "acct_any" }));
    await captures.flush();
    expect(captures.flush()).toBeUndefined();
  });

  test("end with the last capture, also if that fails", async () => {
    const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const results = [one.promise, other.promise];
    const capture = () => results.shift() as Promise<void>;
    const captures = trackCaptures(Object.assign(capture, { flush() {} }));
    const event = usageEvent({ accountId: "acct_any" });
    expect(captures.flush()).toBeUndefined();
    void captures.capture(event);
    const failing = captures.capture(event);
    const flushed = captures.flush();
    one.resolve();
    await one.promise;
    expect(captures.flush()).toBe(flushed);
    other.reject(new Error("unavailable"));
    await expect(failing).rejects.toThrow("unavailable");
    await flushed;
    expect(captures.flush()).toBeUndefined();
  });
});
