import type { Model } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { highestCostOfUnits } from "@tollgate/generation/estimate";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { connectProvider } from "../streaming/provider-socket.ts";
import { withStreamSlots } from "../streaming/stream-slots.ts";
import type { ClientFrame, ClientSocket } from "./client-socket.ts";
import { readConfigFrame } from "./config-frame.ts";
import { holdStepSeconds } from "./growing-hold.ts";
import { LiveStream } from "./live-stream.ts";

/** How long a client may take to send its configuration. */
const configTimeoutMs = 30_000;

/**
 * Serves one live transcription to its end: reads the configuration, then sends audio to the provider
 * and events to the client until the provider closes. Throws the error that the client is sent.
 * Throws `invalid_json` where the frames end without a configuration, unless the gateway is shutting
 * down.
 */
export async function serveSession(
  { engine, providers }: ProviderRuntime,
  caller: Caller,
  client: ClientSocket,
  shutdown: AbortSignal,
): Promise<void> {
  const frames = client.frames[Symbol.asyncIterator]();
  const configFrame = await readFirstFrame(frames, client, shutdown);
  if (configFrame === undefined) return;
  const resolve = (alias: string): Model =>
    withStreamSlots(engine.resolve(alias, "transcriptions", caller), "model");
  const model = readConfigFrame(configFrame, resolve);
  const estimate = highestCostOfUnits(model, holdStepSeconds);
  await engine.generate({ caller, model, estimate }, async (generation) => {
    const { slot, response: provider } = await generation.attempt((slot) =>
      connectProvider(slot, providers, caller.requestId, client.disconnected),
    );
    const stream = new LiveStream(client, provider, slot, generation);
    generation.billPartial((failure) =>
      isBilled(failure, client, stream) ? { slot, response: stream.measure() } : undefined,
    );
    await stream.run(frames);
    await generation.settle(slot, stream.measure());
  });
}

/** Returns undefined where there is no client to send an error to, or the client is not at fault. */
async function readFirstFrame(
  frames: AsyncIterator<ClientFrame>,
  client: ClientSocket,
  shutdown: AbortSignal,
): Promise<ClientFrame | undefined> {
  const timeout = setTimeout(() => client.endFrames(), configTimeoutMs);
  const { value, done } = await frames.next().finally(() => clearTimeout(timeout));
  if (!done) return value;
  if (client.disconnected.aborted || shutdown.aborted) return undefined;
  throw new GatewayError("invalid_json", "No configuration frame was received.");
}

/**
 * Returns whether a stream that fails is billed for what it used. It is billed where the client
 * disconnected, where its money is used up, and where it broke the protocol after it was sent an
 * event. A failure of the provider or the gateway is not billed.
 */
function isBilled(failure: unknown, client: ClientSocket, stream: LiveStream): boolean {
  if (client.disconnected.aborted) return true;
  if (!(failure instanceof GatewayError)) return false;
  if (failure.code === "credit_balance_exhausted") return true;
  return failure.status < 500 && stream.hasDelivered;
}
