import { create } from "@bufbuild/protobuf";
import type { Model, Slot } from "@tollgate/kit/catalog/model";
import { createSpool } from "@tollgate/kit/http/spool";
import type { Modality } from "@tollgate/kit/modality";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { expect, onTestFinished, test, vi } from "vitest";
import { transcribe } from "./batch.ts";

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
  const upload = { alias: "a", stream: false, language: "", contentType: "", audio: createSpool() };
  const { signal } = new AbortController();
  const failing = transcribe(modality, create(CallerSchema), upload, signal);
  expect(timeout).toHaveBeenCalledWith(240_000);
  ceiling.abort(new DOMException("too long", "TimeoutError"));
  await expect(failing).rejects.toMatchObject({ kind: "unreachable" });
  expect(send).toHaveBeenCalledOnce();
});
