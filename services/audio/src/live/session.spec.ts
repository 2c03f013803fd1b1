import { create } from "@bufbuild/protobuf";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import { expect, onTestFinished, test, vi } from "vitest";
import { createQueue } from "../streaming/queue.ts";
import type { ClientFrame, ClientSocket } from "./client-socket.ts";
import { serveSession } from "./session.ts";

function silentClient(): ClientSocket {
  const frames = createQueue<ClientFrame>({ limit: 1, onFull: () => {}, onEmpty: () => {} });
  return {
    frames: frames.items,
    endFrames: () => frames.end(),
    disconnected: new AbortController().signal,
  } as ClientSocket;
}

function serve(client: ClientSocket, ending: AbortSignal): Promise<void> {
  const graceEnded = new AbortController().signal;
  const end = { ending, graceEnded };
  return serveSession({} as ProviderRuntime, create(CallerSchema), client, end);
}

test("a client that sends no configuration is refused after 30 seconds", async () => {
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

test("a client without a configuration is not refused when the service shuts down", async () => {
  const client = silentClient();
  const shutdown = new AbortController();
  const serving = serve(client, shutdown.signal);
  shutdown.abort();
  client.endFrames();
  await expect(serving).resolves.toBeUndefined();
});
