import type { Model, Slot } from "@tollgate/catalog/model";
import { createLog } from "@tollgate/core/log";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { createBreakers } from "@tollgate/upstream/breaker";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test, vi } from "vitest";
import { createPipeline, type PipelineParts } from "./pipeline.ts";

test("what costs nothing takes no slot out for what does, and none back in", async () => {
  const breakers = createBreakers(() => 0);
  const parts = { breakers, log: createLog("silent"), metrics: createMetrics() };
  const pipeline = createPipeline(parts as PipelineParts);
  const slot = { id: "near/model" } as Slot;
  const model = { alias: "model", chain: [slot] as readonly Slot[] } as Model;
  const fail = vi.fn(async () => {
    throw new SlotFailure("unreachable", "no route to host");
  });
  for (let times = 0; times < 6; times += 1) {
    await expect(pipeline.walk(model, fail)).rejects.toThrow("provider");
  }
  expect(fail).toHaveBeenCalledTimes(5);
  expect(breakers.admits(slot.id)).toBe(true);
  for (let times = 0; times < 4; times += 1) breakers.failed(slot.id);
  await createPipeline(parts as PipelineParts).walk(model, async () => "voices");
  breakers.failed(slot.id);
  expect(breakers.admits(slot.id)).toBe(false);
});
