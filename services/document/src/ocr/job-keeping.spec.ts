import type { Model } from "@tollgate/catalog/model";
import { createLog } from "@tollgate/core/log";
import { vendors } from "@tollgate/providers";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test, vi } from "vitest";
import type { OcrJob } from "../generated/client.ts";
import { tendDue } from "./job-keeping.ts";
import type { JobParts } from "./job-parts.ts";

const minuteMs = 60_000;
const holdUntil = new Date("2026-11-26T12:00:00Z");
const slot = {
  id: "p/m",
  provider: { name: "p", kind: vendors.openai },
  upstreamModel: "m",
  path: "/ocr",
  pricing: { unitType: "pages", input: { picoUsd: 1_000_000_000n, per: 1n } },
};
const job: OcrJob = {
  ...{
    alias: "reader",
    jobId: "job-1",
    accountId: "acct",
    keyId: "key",
    slotId: "p/m",
    keyName: "",
  },
  ...{
    fileParts: 1,
    plan: "",
    pages: 1,
    createdAt: new Date(0),
    meteredAt: null,
    requestId: "req_1",
    clientRequestId: "",
  },
  ...{ holdId: "req_1", holdNanoUsd: 1_000_000n, holdUntil, isKept: true, nextAt: holdUntil },
};

/** Tends one job, `minutes` after the end of its hold's time, whose provider responds so. */
async function tendAt(minutes: number, respond: () => unknown, more: Partial<OcrJob> = {}) {
  const at = new Date(holdUntil.getTime() + minutes * minuteMs);
  const send = vi.fn(async () => {
    const text = JSON.stringify(respond());
    const body = (async function* () {
      yield Buffer.from(text);
    })();
    return { status: 200, contentType: "application/json", body };
  });
  const keep = vi.fn(async () => ({ heldNanoUsd: 3_000_000n, isRecorded: false }));
  const release = vi.fn(async () => {});
  const recordLate = vi.fn(async (_usage: { eventId: string; holdId: string }) => {});
  const store = {
    claimDue: vi.fn(async () => [{ ...job, ...more }]),
    markKept: vi.fn(async () => {}),
    markMetered: vi.fn(async () => {}),
    markReleased: vi.fn(async () => {}),
    postpone: vi.fn(async (_job: OcrJob, _at: Date) => {}),
  };
  const resolve = () => ({ alias: "reader", chain: [slot] }) as unknown as Model;
  const engine = { resolve, jobHolds: { keep, release }, recordLate };
  const runtime = { engine, providers: { send } };
  const parts = { runtime, store, log: createLog("silent"), now: () => at };
  await tendDue(parts as unknown as JobParts);
  return { at, send, keep, release, recordLate, store };
}

function unreachable(): never {
  throw new SlotFailure("unreachable", "no route to host");
}

test("a job that is done at the end of its hold is billed from it, and keeps no hold", async () => {
  const { recordLate, release, store } = await tendAt(0, () => ({ status: "done", pages: 3 }));
  expect(recordLate).toHaveBeenCalledTimes(1);
  expect(recordLate.mock.calls[0]?.[0]).toMatchObject({
    holdId: "req_1",
    measured: { quantity: 3n },
  });
  expect(recordLate.mock.calls[0]?.[0].eventId).toMatch(/^ocr-job:[0-9a-f]{64}$/);
  expect(store.markMetered).toHaveBeenCalledTimes(1);
  expect(release).not.toHaveBeenCalled();
});

test("a job that still runs loses its hold", async () => {
  const { recordLate, release, store } = await tendAt(0, () => ({ status: "running" }));
  expect([release.mock.calls, recordLate.mock.calls]).toEqual([[["req_1"]], []]);
  expect(store.markReleased).toHaveBeenCalledTimes(1);
});

test("a job that cannot be read keeps its hold for 15 minutes, and is read again each minute", async () => {
  const { at, release, store } = await tendAt(14, unreachable);
  expect(release).not.toHaveBeenCalled();
  expect(store.postpone.mock.calls[0]?.[1]).toEqual(new Date(at.getTime() + minuteMs));
  const late = await tendAt(15, unreachable);
  expect([late.release.mock.calls, late.store.postpone.mock.calls]).toEqual([[["req_1"]], []]);
});

test("the hold of an interrupted creation is kept until its time is over, without a read", async () => {
  const { send, keep, store } = await tendAt(-30, unreachable, { isKept: false });
  expect(send).not.toHaveBeenCalled();
  const kept = { amountNanoUsd: 1_000_000n, isWhole: false, keepMs: BigInt(45 * minuteMs) };
  expect(keep).toHaveBeenCalledWith(expect.objectContaining(kept));
  expect(store.markKept).toHaveBeenCalledTimes(1);
});

test("a job that is metered already loses the hold that it got since", async () => {
  const { send, release } = await tendAt(0, unreachable, { meteredAt: new Date(0) });
  expect([send.mock.calls, release.mock.calls]).toEqual([[], [["req_1"]]]);
});
