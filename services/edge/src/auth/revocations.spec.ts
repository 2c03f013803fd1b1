import { GatewayError } from "@tollgate/core/errors";
import { localNotices } from "@tollgate/runtime/broker/notices";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchRevocations } from "./revocations.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.useRealTimers();
});

const revoked = new GatewayError("key_revoked", "This API key has been revoked.");

/** Revocations over a billing service with a set of revoked keys. */
function createFixture() {
  const billing = { revoked: new Set<string>(), isDown: false };
  const notices = localNotices();
  const findEnded = vi.fn(async (keyHashes: readonly string[]) => {
    if (billing.isDown) throw new Error("down");
    const ended = keyHashes.filter((keyHash) => billing.revoked.has(keyHash));
    return new Map(ended.map((keyHash) => [keyHash, revoked]));
  });
  return { billing, notices, findEnded, revocations: watchRevocations(notices, findEnded) };
}

test("a key whose notice was lost is found within five seconds, and no other is", async () => {
  const { billing, revocations } = createFixture();
  const ended: string[] = [];
  for (const keyHash of ["one", "two"]) revocations.watch(keyHash, () => ended.push(keyHash));
  await vi.advanceTimersByTimeAsync(10_000);
  billing.revoked.add("two");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(new Set(ended)).toEqual(new Set(["two"]));
});

test("all open streams of a replica share one lookup, and none is made without a stream", async () => {
  const { findEnded, revocations } = createFixture();
  const unwatch = ["one", "two", "two"].map((keyHash) => revocations.watch(keyHash, () => {}));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(findEnded.mock.calls).toEqual([[["one", "two"]]]);
  for (const stop of unwatch) stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(findEnded).toHaveBeenCalledOnce();
});

test("a lookup that fails ends no stream, and is made again", async () => {
  const { billing, revocations } = createFixture();
  const onEnded = vi.fn();
  revocations.watch("one", onEnded);
  Object.assign(billing, { isDown: true, revoked: new Set(["one"]) });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(onEnded).not.toHaveBeenCalled();
  billing.isDown = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(onEnded).toHaveBeenCalledOnce();
});

test("more than a thousand keys are looked up in several calls", async () => {
  const { findEnded, revocations } = createFixture();
  for (let key = 0; key < 2_500; key += 1) revocations.watch(String(key), () => {});
  await vi.advanceTimersByTimeAsync(2_000);
  expect(findEnded.mock.calls.map(([keys]) => keys.length)).toEqual([1_000, 1_000, 500]);
});

test("a notice of a watched key looks it up at once, and ends only a key that has ended", async () => {
  const { billing, notices, findEnded, revocations } = createFixture();
  const onEnded = vi.fn();
  revocations.watch("one", onEnded);
  notices.publish("key.changed", "two");
  expect(findEnded).not.toHaveBeenCalled();
  notices.publish("key.changed", "one");
  await vi.advanceTimersByTimeAsync(0);
  expect(findEnded.mock.calls).toEqual([[["one"]]]);
  expect(onEnded).not.toHaveBeenCalled();
  billing.revoked.add("one");
  notices.publish("key.changed", "one");
  await vi.advanceTimersByTimeAsync(0);
  expect(onEnded).toHaveBeenCalledExactlyOnceWith(revoked);
});
