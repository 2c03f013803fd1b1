import type { Slot } from "@tollgate/catalog/model";
import { createLog } from "@tollgate/core/log";
import type { SlotService } from "@tollgate/proto/tollgate/v1/slot";
import type { Client } from "@tollgate/rpc/implementation";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FleetSlotUses } from "./fleet-slot-uses.ts";

const slot = { id: "near/m", limits: { parallel: 2, tokensPerMinute: 900 } } as Slot;
const call = { accountId: "a", tokens: 7 };

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function world() {
  const takeSlotUse = vi.fn(async (_: { useId?: string }) => ({ waitMs: 0, expiresInMs: 30_000 }));
  const extendSlotUses = vi.fn(async (_: { useIds?: string[] }) => ({}));
  const endSlotUse = vi.fn(async (_: { useId?: string; tokens?: bigint }) => ({}));
  const client = { takeSlotUse, extendSlotUses, endSlotUse };
  const uses = new FleetSlotUses(
    client as unknown as Client<typeof SlotService>,
    createLog("silent"),
  );
  const idOf = (index: number) => takeSlotUse.mock.calls[index]?.[0].useId;
  return { ...client, idOf, uses };
}

test("a call is counted with the slot's limits, extended while it runs, and ended once with its tokens", async () => {
  const { endSlotUse, extendSlotUses, idOf, takeSlotUse, uses } = world();
  const use = await uses.take(slot, call);
  expect(takeSlotUse.mock.calls[0]?.[0]).toMatchObject({
    ...{ slotId: "near/m", accountId: "a", tokens: 7n },
    ...{ parallel: 2n, tokensPerMinute: 900n },
  });
  await vi.advanceTimersByTimeAsync(12_000);
  expect(extendSlotUses.mock.calls.map(([{ useIds }]) => useIds)).toEqual([[idOf(0)]]);
  if (typeof use === "object") use.end(4);
  expect(endSlotUse.mock.calls.map(([ended]) => ended)).toEqual([{ useId: idOf(0), tokens: 4n }]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(extendSlotUses).toHaveBeenCalledTimes(1);
});

test("a call that a limit keeps from the slot has the time to wait", async () => {
  const { endSlotUse, takeSlotUse, uses } = world();
  takeSlotUse.mockResolvedValueOnce({ waitMs: 800, expiresInMs: 30_000 });
  expect(await uses.take(slot, call)).toBe(800);
  expect(endSlotUse).not.toHaveBeenCalled();
});

test("while the ledger cannot be reached no call is counted, and it is asked once a second", async () => {
  const { endSlotUse, idOf, takeSlotUse, uses } = world();
  takeSlotUse.mockRejectedValueOnce(new Error("down"));
  expect(await uses.take(slot, call)).toBeUndefined();
  expect(endSlotUse.mock.calls.map(([ended]) => ended)).toEqual([{ useId: idOf(0) }]);
  expect(await uses.take(slot, call)).toBeUndefined();
  expect(takeSlotUse).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await uses.take(slot, call)).toBeTypeOf("object");
});
