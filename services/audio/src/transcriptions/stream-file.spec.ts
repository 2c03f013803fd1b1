import { create } from "@bufbuild/protobuf";
import type { Model, Slot } from "@tollgate/catalog/model";
import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import { callerLeftError } from "@tollgate/core/cancellation";
import { internalError } from "@tollgate/core/errors";
import type { Engine } from "@tollgate/generation/engine";
import type { Generation } from "@tollgate/generation/generation";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { UploadReservation } from "@tollgate/http/upload-space";
import { createUploadStore } from "@tollgate/http/upload-store";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { vendors } from "@tollgate/providers";
import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test, vi } from "vitest";
import { streamFile } from "./stream-file.ts";

const space: UploadReservation = { grow() {}, release() {}, diskFull: internalError };
const options = { prompt: "", responseFormat: "", temperature: "", timestampGranularities: [] };

test.each([
  ["before the first slot is called", 0],
  ["while the first slot fails", 1],
])("a form is sent to no slot once the client has left: %s", async (_, leavesAfter) => {
  const leaving = new AbortController();
  const leave = () => leaving.abort(callerLeftError());
  const failure = new SlotFailure("unreachable", "down");
  const send = vi.fn(async () => {
    if (send.mock.calls.length === leavesAfter) leave();
    throw failure;
  });
  if (leavesAfter === 0) leave();
  const provider = { kind: vendors.openai as ProviderKind, takesTranscriptionForms: true };
  const pricing = { input: { picoUsd: 1n, per: 1n } };
  const slot = { path: "/", provider, pricing } as unknown as Slot;
  const chain = [slot, slot];
  /** Attempts each slot that follows a failed one, as the engine does. */
  const attemptStream = async (open: (slot: Slot) => Promise<unknown>) => {
    await open(slot).catch((error) => {
      if (error !== failure) throw error;
    });
    return open(slot);
  };
  const engine: Partial<Engine> = {
    resolve: () => ({ chain, pricing }) as unknown as Model,
    async *stream(_call, work) {
      yield* work({ attemptStream, callerLeft() {} } as unknown as Generation);
    },
  };
  const runtime = { engine, providers: { send } } as unknown as ProviderRuntime;
  const audio = createUploadStore(space);
  await audio.write(Buffer.alloc(3_200));
  const named = { alias: "a", language: "", contentType: "audio/L16", fileName: "" };
  const ends = { left: leaving.signal, graceEnded: new AbortController().signal };
  const upload = { ...named, stream: true, options, audio };
  const events = streamFile(runtime, create(CallerSchema), upload, ends);
  await expect(events.next()).rejects.toMatchObject({ reason: "cancelled" });
  expect(send).toHaveBeenCalledTimes(leavesAfter);
});
