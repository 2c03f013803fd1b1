import { expect, test, vi } from "vitest";
import { Cancellation } from "./cancellation.ts";
import { PeerError } from "./errors.ts";

const deadline = new PeerError("deadline", "too late");

test("a caller that leaves aborts the signal, also one that is read later", () => {
  for (const readsBefore of [true, false]) {
    const call = new Cancellation();
    if (readsBefore) expect(call.signal.aborted).toBe(false);
    call.leave();
    expect(call.hasLeft).toBe(true);
    expect(call.signal.reason).toMatchObject({ reason: "cancelled" });
  }
});

test("a part of the call runs to its end although the caller leaves", () => {
  const call = new Cancellation();
  const callerLeft = vi.fn();
  call.beginPart({ callerLeft });
  call.leave();
  call.leave();
  expect([call.hasLeft, call.signal.aborted, callerLeft.mock.calls.length]).toEqual([
    true,
    false,
    1,
  ]);
  call.endPart();
  expect(call.signal.reason).toMatchObject({ reason: "cancelled" });
});

test("a part that contains others runs to its own end", () => {
  const call = new Cancellation();
  const watcher = { callerLeft: vi.fn() };
  call.beginPart(watcher);
  call.beginPart(watcher);
  call.endPart();
  call.leave();
  expect([call.signal.aborted, watcher.callerLeft.mock.calls.length]).toEqual([false, 1]);
  call.endPart();
  expect(call.signal.aborted).toBe(true);
});

test("a part whose caller stays aborts nothing when it ends", () => {
  const call = new Cancellation();
  const callerLeft = vi.fn();
  call.beginPart({ callerLeft });
  call.endPart();
  expect([call.signal.aborted, callerLeft.mock.calls.length]).toEqual([false, 0]);
});

test("a deadline aborts the signal within a part, whether or not the caller left before", () => {
  for (const leaves of [true, false]) {
    const call = new Cancellation();
    call.beginPart({ callerLeft() {} });
    if (leaves) call.leave();
    call.abort(deadline);
    expect(call.signal.reason).toBe(deadline);
    call.endPart();
    expect(call.signal.reason).toBe(deadline);
  }
});

test("a caller that leaves after the deadline changes nothing", () => {
  const call = new Cancellation();
  call.abort(deadline);
  call.leave();
  expect([call.hasLeft, call.signal.reason]).toEqual([false, deadline]);
});
