import { create } from "@bufbuild/protobuf";
import type { Model, Slot } from "@tollgate/catalog/model";
import { createLog } from "@tollgate/core/log";
import { measureUnits } from "@tollgate/metering/measurement";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { expect, test, vi } from "vitest";
import { type GenerationParts, openGeneration } from "./generation.ts";

const price = { picoUsd: 1_000_000n, per: 1n };
const slot = { id: "p/m", provider: { name: "p" }, pricing: { input: price } } as Slot;
const model = { alias: "model", routeType: "images", unitType: "images" } as Model;

test("what an earlier run paid for is told, and counted as its cost alone", async () => {
  const metrics = createMetrics();
  const publish = vi.fn(async (_event: UsageEvent) => {});
  const parts = {
    charges: { find: async () => 6_000n },
    publisher: { publish },
    log: createLog("silent"),
    metrics,
    now: () => new Date(),
  } as unknown as GenerationParts;
  const caller = create(CallerSchema, { requestId: "second", chargeId: "first" });
  const generation = await openGeneration(parts, caller, model, 100_000n);
  const measured = measureUnits({ quantity: 9n, basis: "provider" }, slot);
  expect(await generation.complete(slot, measured)).toBe(6_000n);
  // What it used is recorded; the ledger knows by the charge id that it is paid.
  expect(publish.mock.calls[0]?.[0]).toMatchObject({ chargeId: "first", costNanoUsd: 9_000n });
  const { values } = await metrics.cost.get();
  expect(values.reduce((sum, { value }) => sum + value, 0)).toBe(0);
});
