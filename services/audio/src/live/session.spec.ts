import { create } from "@bufbuild/protobuf";
import type { Modality } from "@tollgate/kit/modality";
import { createQueue } from "@tollgate/kit/queue";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ClientFrame, LiveSocket } from "./live-socket.ts";
import { serveSession } from "./session.ts";

test("a client that sends no configuration is told so after 30 seconds", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const frames = createQueue<ClientFrame>({ limit: 1, onFull: () => {}, onEmpty: () => {} });
  const client = {
    frames: frames.items,
    endFrames: () => frames.end(),
    gone: new AbortController().signal,
  } as LiveSocket;
  let ended = false;
  const serving = serveSession({} as Modality, create(CallerSchema), client).finally(() => {
    ended = true;
  });
  const refused = expect(serving).rejects.toMatchObject({ code: "invalid_json" });
  await vi.advanceTimersByTimeAsync(29_000);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  await refused;
});
