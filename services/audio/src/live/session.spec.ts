import { create } from "@bufbuild/protobuf";
import { createQueue } from "@tollgate/core/queue";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ClientFrame, LiveSocket } from "./live-socket.ts";
import { serveSession } from "./session.ts";

function silentClient(): LiveSocket {
  const frames = createQueue<ClientFrame>({ limit: 1, onFull: () => {}, onEmpty: () => {} });
  return {
    frames: frames.items,
    endFrames: () => frames.end(),
    gone: new AbortController().signal,
  } as LiveSocket;
}

function serve(client: LiveSocket, ending: AbortSignal): Promise<void> {
  return serveSession({} as ProviderRuntime, create(CallerSchema), client, ending);
}

test("a client that sends no configuration is told so after 30 seconds", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let ended = false;
  const serving = serve(silentClient(), new AbortController().signal).finally(() => {
    ended = true;
  });
  const refused = expect(serving).rejects.toMatchObject({ code: "invalid_json" });
  await vi.advanceTimersByTimeAsync(29_000);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  await refused;
});

test("one that has sent none yet when the service ends is not to blame", async () => {
  const client = silentClient();
  const ending = new AbortController();
  const serving = serve(client, ending.signal);
  ending.abort();
  client.endFrames();
  await expect(serving).resolves.toBeUndefined();
});
