import { create } from "@bufbuild/protobuf";
import type { Model, Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { Order } from "@tollgate/generation/pipeline";
import type { Modality } from "@tollgate/generation/provider-runtime";
import { createUploadStore } from "@tollgate/http/upload-store";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { expect, onTestFinished, test, vi } from "vitest";
import { transcribe } from "./batch.ts";

const audio = createUploadStore();
const upload = { alias: "a", stream: false, language: "", contentType: "", audio };

test("a provider that takes longer than 240 seconds is given up, as one that was out of reach", async () => {
  const ceiling = new AbortController();
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(ceiling.signal);
  onTestFinished(() => timeout.mockRestore());
  const send = vi.fn(
    (_slot: Slot, _request: object, signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  const model = { chain: [] as Slot[] } as unknown as Model;
  const pipeline = {
    resolve: () => model,
    run: ({ ask }: { ask(slot: Slot): Promise<unknown> }) => ask({ path: "/" } as Slot),
  };
  const modality = { pipeline, providers: { send } } as unknown as Modality;
  const { signal } = new AbortController();
  const failing = transcribe(modality, create(CallerSchema), upload, signal);
  expect(timeout).toHaveBeenCalledWith(240_000);
  ceiling.abort(new DOMException("too long", "TimeoutError"));
  await expect(failing).rejects.toMatchObject({ kind: "unreachable" });
  expect(send).toHaveBeenCalledOnce();
});

/** What is metered of an answer that took 1.5 seconds. */
async function meter(json: string) {
  const answer = { bytes: Buffer.from(json), value: JSON.parse(json) as JsonObject };
  const slot = { pricing: { input: { picoUsd: 1n, per: 1n } } } as unknown as Slot;
  const meters = vi.fn();
  const pipeline = {
    resolve: () => ({ chain: [] }),
    async run({ measure }: Order<typeof answer & { elapsedMs: number }>) {
      meters(measure({ ...answer, elapsedMs: 1_500 }, slot));
      return { answer };
    },
  };
  const modality = { pipeline } as unknown as Modality;
  await transcribe(modality, create(CallerSchema), upload, new AbortController().signal);
  return meters.mock.calls[0]?.[0] as unknown;
}

test.each([
  ['{"duration":2.5}', 3n],
  ['{"usage":{"seconds":6.1}}', 7n],
  ['{"duration":1e999,"usage":{"seconds":4}}', 4n],
  ['{"duration":"12.3"}', 13n],
])("a reported duration is billed: %s", async (json, quantity) => {
  expect(await meter(json)).toMatchObject({ quantity, basis: "provider" });
});

test.each([
  "1e999",
  "-1",
  "1000001",
  '"2 s"',
  '"1000001"',
  '""',
  "null",
])("a duration of %s counts as not reported, and the clock is billed", async (duration) => {
  const clock = { quantity: 2n, basis: "wall_clock" };
  expect(await meter(`{"duration":${duration}}`)).toMatchObject(clock);
  expect(await meter(`{"usage":{"seconds":${duration}}}`)).toMatchObject(clock);
});
