import { create } from "@bufbuild/protobuf";
import type { Model, Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { Cancellation } from "@tollgate/core/cancellation";
import { internalError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import type { Engine } from "@tollgate/generation/engine";
import type { Generation } from "@tollgate/generation/generation";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { UploadReservation } from "@tollgate/http/upload-space";
import { createUploadStore } from "@tollgate/http/upload-store";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { vendors } from "@tollgate/providers";
import { expect, onTestFinished, test, vi } from "vitest";
import { transcribeFile } from "./transcribe-file.ts";

const space: UploadReservation = { grow() {}, release() {}, diskFull: internalError };
const audio = createUploadStore(space);
const options = { prompt: "", responseFormat: "", temperature: "", timestampGranularities: [] };
const named = { alias: "a", language: "", contentType: "", fileName: "" };
const upload = { ...named, stream: false, options, audio };

/** Starts a transcription whose slots do not respond. `attempt` attempts them. */
function hanging(attempt: (call: (slot: Slot) => Promise<unknown>) => Promise<unknown>) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const send = vi.fn(
    (_slot: Slot, _request: object, signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  const model = { chain: [] as Slot[] } as unknown as Model;
  const engine: Partial<Engine> = {
    resolve: () => model,
    generate: (_call, work) => work({ attempt } as unknown as Generation),
  };
  const runtime = { engine, providers: { send } } as unknown as ProviderRuntime;
  const failing = transcribeFile(runtime, create(CallerSchema), upload, new Cancellation());
  return { failing, send };
}

const slot = { path: "/", provider: { kind: vendors.openai as ProviderKind } } as Slot;

test("a provider may take 240 seconds, and counts as unreachable if it takes longer", async () => {
  const { failing, send } = hanging((call) => call(slot));
  vi.advanceTimersByTime(239_999);
  expect(send.mock.calls[0]?.[2].aborted).toBe(false);
  vi.advanceTimersByTime(1);
  await expect(failing).rejects.toMatchObject({ kind: "unreachable" });
  expect(vi.getTimerCount()).toBe(0);
  expect(send).toHaveBeenCalledOnce();
  expect(send.mock.calls[0]?.[1]).toMatchObject({ defaultTimeoutMs: 240_000 });
});

test("after 240 seconds no other slot is attempted, and none counts as failed", async () => {
  const { failing, send } = hanging(async (call) => {
    await call(slot).catch(() => {});
    return call(slot);
  });
  vi.advanceTimersByTime(240_000);
  await expect(failing).rejects.toMatchObject({
    code: "no_provider_available",
    message: expect.stringContaining("240 seconds"),
  });
  expect(send).toHaveBeenCalledOnce();
});

test("a transcription that has ended leaves no timer, which would retain its buffers", async () => {
  const { failing } = hanging(() => Promise.reject(new Error("ended")));
  await expect(failing).rejects.toThrow("ended");
  expect(vi.getTimerCount()).toBe(0);
});

/** Returns the usage that is settled for a response that took 1.5 seconds. */
async function meter(json: string) {
  const value = JSON.parse(json) as JsonObject;
  const response = { bytes: Buffer.from(json), value, elapsedMs: 1_500 };
  const slot = { pricing: { input: { picoUsd: 1n, per: 1n } } } as unknown as Slot;
  const settle = vi.fn(async (_slot: Slot, _usage: unknown) => 0n);
  const attempt = async () => ({ slot, response });
  const engine = {
    resolve: () => ({ chain: [] }),
    generate: (_call: unknown, work: (generation: unknown) => unknown) => work({ attempt, settle }),
  };
  const runtime = { engine } as unknown as ProviderRuntime;
  await transcribeFile(runtime, create(CallerSchema), upload, new Cancellation());
  return settle.mock.calls[0]?.[1];
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
])("a duration of %s counts as not reported, and the time of the call is billed", async (duration) => {
  const clock = { quantity: 2n, basis: "wall_clock" };
  expect(await meter(`{"duration":${duration}}`)).toMatchObject(clock);
  expect(await meter(`{"usage":{"seconds":${duration}}}`)).toMatchObject(clock);
});
