import { Cancellation } from "@tollgate/core/cancellation";
import { PeerError } from "@tollgate/core/errors";
import { Outcome } from "@tollgate/proto/tollgate/v1/usage";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test } from "vitest";
import { engineWorld, images, near } from "../test/engine-world.ts";

/** Starts a call whose provider responds when it is told to. */
function heldCall() {
  const parts = engineWorld();
  const cancellation = new Cancellation();
  const called = Promise.withResolvers<void>();
  const response = Promise.withResolvers<bigint>();
  const slots: string[] = [];
  const billable = { ...parts.call, cancellation };
  const running = parts.engine.generate(billable, async (generation) => {
    const served = await generation.attempt((slot) => {
      slots.push(slot.id);
      called.resolve();
      const aborted = new Promise<never>((_, reject) => {
        const { signal } = cancellation;
        signal.addEventListener("abort", () => reject(signal.reason));
      });
      return Promise.race([response.promise, aborted]);
    });
    return generation.settle(served.slot, images(served.response));
  });
  running.catch(() => {});
  return { ...parts, cancellation, called: called.promise, response, slots, settled: running };
}

test("a provider that was called responds although the caller leaves, and is billed", async () => {
  const { cancellation, called, response, settled, events, hold } = heldCall();
  await called;
  expect(hold.leave).not.toHaveBeenCalled();
  cancellation.leave();
  expect(hold.leave).toHaveBeenCalledOnce();
  response.resolve(3n);
  await settled;
  expect(events).toMatchObject([{ outcome: Outcome.COMPLETED, costNanoUsd: 3_000n }]);
});

test("after the caller left, no other slot is attempted, and nothing is billed", async () => {
  const { cancellation, called, response, settled, events, slots } = heldCall();
  await called;
  cancellation.leave();
  response.reject(new SlotFailure("rejected", "no", { status: 503 }));
  await expect(settled).rejects.toMatchObject({ reason: "cancelled" });
  expect(slots).toEqual([near.id]);
  expect(events).toMatchObject([{ outcome: Outcome.FAILED, costNanoUsd: 0n }]);
});

test("a caller that leaves before a provider is called pays nothing", async () => {
  const { cancellation, settled, events, slots, hold } = heldCall();
  cancellation.leave();
  await expect(settled).rejects.toMatchObject({ reason: "cancelled" });
  expect([slots, hold.leave.mock.calls]).toEqual([[], []]);
  expect(events).toMatchObject([{ outcome: Outcome.FAILED, costNanoUsd: 0n }]);
});

test.each([
  true,
  false,
])("a deadline ends the attempt, and nothing is billed (left: %s)", async (leaves) => {
  const { cancellation, called, settled, events, slots } = heldCall();
  await called;
  if (leaves) cancellation.leave();
  cancellation.abort(new PeerError("deadline", "too late"));
  await expect(settled).rejects.toMatchObject({ reason: "deadline" });
  expect(slots).toEqual([near.id]);
  expect(events).toMatchObject([{ outcome: Outcome.FAILED, trail: { errorCode: "deadline" } }]);
});

test("a drain waits for a call whose caller left", async () => {
  const { cancellation, called, response, settled, events, running } = heldCall();
  await called;
  cancellation.leave();
  const drained = running.drain(60_000);
  response.resolve(3n);
  await drained;
  expect(events).toMatchObject([{ outcome: Outcome.COMPLETED }]);
  await settled;
});

test("the end of the grace period ends a call, and nothing is billed", async () => {
  const { cancellation, called, settled, events, running } = heldCall();
  await called;
  cancellation.leave();
  await running.drain(1);
  expect(events).toMatchObject([{ outcome: Outcome.FAILED, costNanoUsd: 0n }]);
  await expect(settled).rejects.toMatchObject({ reason: "unavailable" });
});

test("a drain without generations ends at once", async () => {
  const { running } = engineWorld();
  await running.drain(60_000);
});
