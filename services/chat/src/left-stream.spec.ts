import type { Slot } from "@tollgate/catalog/model";
import { PeerError } from "@tollgate/core/errors";
import { SlotFailure } from "@tollgate/upstream/failure";
import { CallTimeout } from "@tollgate/upstream/provider-call";
import { expect, test } from "vitest";
import { usageSoFar } from "./left-stream.ts";
import type { PreparedCall } from "./prepare.ts";
import { ReaderPace } from "./reader-pace.ts";
import { UsageCounter } from "./usage/usage-counter.ts";
import type { UsageMeter } from "./usage/usage-meter.ts";

const neverAborts = new AbortController().signal;
const left = AbortSignal.abort(new PeerError("cancelled", "the client left"));
const late = AbortSignal.abort(new PeerError("deadline", "the deadline passed"));
const edgeFailed = AbortSignal.abort(new PeerError("unavailable", "the edge is gone"));

const unreachable = (cause?: Error) => new SlotFailure("unreachable", "it broke", { cause });
const refused = new SlotFailure("rejected", "the provider responded with 500", { status: 500 });
const broken = unreachable(new Error("reset"));
const tookTooLong = unreachable(new CallTimeout("TOTAL_TIMEOUT"));

/** Resolves with whether a stream that has ended so is billed. */
async function isBilled(signal: AbortSignal, failure: unknown, isSlow = false): Promise<boolean> {
  const pace = new ReaderPace();
  if (isSlow) pace.record(performance.now() - 6_000);
  const usage: unknown = { isUsage: true };
  const meter = { usageOf: async () => usage } as unknown as UsageMeter;
  const prepared = { client: { call: {} } } as unknown as PreparedCall;
  const called = { slot: {} as Slot, counter: new UsageCounter(), pace };
  return (await usageSoFar(meter, prepared, called, { failure, signal })) === usage;
}

test.each<[string, boolean, AbortSignal, unknown, boolean?]>([
  ["that its client has left", true, left, left.reason],
  ["whose reader has ended since its client left", true, left, undefined],
  ["whose deadline has passed", true, late, late.reason],
  ["whose edge has failed", false, edgeFailed, edgeFailed.reason],
  ["that its provider has refused", false, neverAborts, refused],
  ["that its provider had refused before its client left", false, left, refused],
  ["that its provider has broken", false, neverAborts, broken],
  ["that its provider had broken before its client left", false, left, broken],
  ["that its provider has broken, unread", true, neverAborts, broken, true],
  ["that its provider had broken, unread, before its client left", true, left, broken, true],
  ["that took too long", true, neverAborts, tookTooLong],
  ["that had taken too long before its client left", true, left, tookTooLong],
])("a stream %s: billed %s", async (_, expected, signal, failure, isSlow) => {
  expect(await isBilled(signal, failure, isSlow)).toBe(expected);
});
