import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createCapture } from "../src/capture.ts";
import { type CapturesUnderWay, followCaptures } from "../src/captures-under-way.ts";
import { createHolds } from "../src/hold.ts";
import { createLedgerDatabase, openLedger, openWallet, readWallet, usageEvent } from "./books.ts";

describe("what is answered before it is captured", () => {
  let pool: pg.Pool;
  const { signal } = new AbortController();

  beforeAll(async () => {
    pool = await openLedger(await createLedgerDatabase(inject("postgresUrl")));
  });

  afterAll(() => pool.end());

  /** Captures that begin when `begin` is called. `waitedFor` resolves once somebody waits. */
  function heldCaptures(): CapturesUnderWay & { begin(): void; waitedFor: Promise<void> } {
    const waited = Promise.withResolvers<void>();
    const start = Promise.withResolvers<void>();
    const capture = createCapture(pool);
    const late = async (event: UsageEvent) => {
      await start.promise;
      await capture(event);
    };
    const captures = followCaptures(Object.assign(late, { flush: capture.flush }));
    const ended = () => {
      waited.resolve();
      return captures.ended();
    };
    return { ...captures, ended, begin: start.resolve, waitedFor: waited.promise };
  }

  test("is waited for by a hold that lacks money, so that it gets what it gives back", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const captures = heldCaptures();
    const { takeHold, growHold } = createHolds(pool, 60_000, captures);
    const [first, second] = [`${accountId}-1`, `${accountId}-2`];
    expect(await takeHold({ holdId: first, accountId, estimate: 9_000n }, signal)).toMatchObject({
      held: 9_000n,
    });
    void captures.capture(usageEvent({ accountId, holdId: first, costNanoUsd: 2_000n }));
    const taken = takeHold({ holdId: second, accountId, estimate: 5_000n }, signal);
    await captures.waitedFor;
    captures.begin();
    expect(await taken).toEqual({ held: 5_000n, walletHeld: 5_000n });
    const order = { holdId: second, accountId, estimate: 5_000n };
    expect(await growHold(order, signal)).toEqual({ held: 3_000n, walletHeld: 8_000n });
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 8_000n, held: 8_000n });
  });

  test("gives nothing more to a hold whose caller has gone", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const captures = heldCaptures();
    const { takeHold } = createHolds(pool, 60_000, captures);
    const [first, second] = [`${accountId}-1`, `${accountId}-2`];
    await takeHold({ holdId: first, accountId, estimate: 10_000n }, signal);
    const captured = captures.capture(
      usageEvent({ accountId, holdId: first, costNanoUsd: 2_000n }),
    );
    const caller = new AbortController();
    const taken = takeHold({ holdId: second, accountId, estimate: 5_000n }, caller.signal);
    caller.abort();
    await captures.waitedFor;
    captures.begin();
    await captured;
    expect(await taken).toMatchObject({ held: 0n });
    expect(await readWallet(pool, accountId)).toMatchObject({ balance: 8_000n, held: 0n });
  });

  test("keeps a hold waiting for a moment alone, where it does not end", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const captures = heldCaptures();
    const { takeHold } = createHolds(pool, 60_000, captures);
    const captured = captures.capture(usageEvent({ accountId, costNanoUsd: 2_000n }));
    const order = { holdId: `${accountId}-1`, accountId, estimate: 12_000n };
    expect(await takeHold(order, signal)).toMatchObject({ held: 10_000n });
    captures.begin();
    await captured;
  });

  test("keeps no hold waiting that has what it asked for", async () => {
    const accountId = await openWallet(pool, 10_000n);
    const captures = heldCaptures();
    const { takeHold } = createHolds(pool, 60_000, captures);
    const captured = captures.capture(usageEvent({ accountId, costNanoUsd: 2_000n }));
    const order = { holdId: `${accountId}-1`, accountId, estimate: 9_000n };
    expect(await takeHold(order, signal)).toMatchObject({ held: 9_000n });
    captures.begin();
    await captured;
  });

  test("is not kept for others to come, once somebody waits for it", async () => {
    const flushed = Promise.withResolvers<void>();
    const capture = () => flushed.promise;
    const captures = followCaptures(Object.assign(capture, { flush: flushed.resolve }));
    void captures.capture(usageEvent({ accountId: "acct_any" }));
    await captures.ended();
    expect(captures.ended()).toBeUndefined();
  });

  test("has ended when the last of it has, also when that failed", async () => {
    const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const given = [one.promise, other.promise];
    const capture = () => given.shift() as Promise<void>;
    const captures = followCaptures(Object.assign(capture, { flush() {} }));
    const event = usageEvent({ accountId: "acct_any" });
    expect(captures.ended()).toBeUndefined();
    void captures.capture(event);
    const failing = captures.capture(event);
    const ended = captures.ended();
    one.resolve();
    await one.promise;
    expect(captures.ended()).toBe(ended);
    other.reject(new Error("away"));
    await expect(failing).rejects.toThrow("away");
    await ended;
    expect(captures.ended()).toBeUndefined();
  });
});
