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

/** The shutdown of the gateway, as live transcriptions see it. */
export interface SessionEnd {
  /** Aborts when the audio of all sessions is ended, so that they can be drained. */
  ending: AbortSignal;
  /** Aborts when the grace period is over. What is still open then is cut, and not billed. */
  graceEnded: AbortSignal;
}

/**
 * Serves one live transcription to its end: reads the configuration, then sends audio to the provider
 * and events to the client until the provider closes. Whatever ends it, what it used is billed, but
 * for the end of the gateway's grace period. Throws the error that the client is sent. Throws
 * `invalid_json` where the frames end without a configuration, unless the gateway is shutting down.
 */
export async function serveSession(
  { engine, providers }: ProviderRuntime,
  caller: Caller,
  client: ClientSocket,
  { ending, graceEnded }: SessionEnd,
): Promise<void> {
  const frames = client.frames[Symbol.asyncIterator]();
  const configFrame = await readFirstFrame(frames, client, ending);
  if (configFrame === undefined) return;
  const resolve = (alias: string): Model =>
    withStreamSlots(engine.resolve(alias, "transcriptions", caller), "model");
  const model = readConfigFrame(configFrame, resolve);
  const estimate = highestCostOfUnits(model, holdStepSeconds);
  // The stream ends with what is held.
  const billable = { caller, model, estimate, aloneBelow: 0n };
  await engine.generate(billable, async (generation) => {
    const { slot, response: provider } = await generation.attempt((slot) =>
      connectProvider(slot, providers, caller.requestId, client.disconnected),
    );
    const stream = new LiveStream(client, provider, slot, generation);
    generation.billPartial(() => (graceEnded.aborted ? undefined : stream.charge()));
    await stream.run(frames);
    const charge = stream.charge();
    if (charge !== undefined) await generation.settle(charge.slot, charge.response);
  });
}

/** Returns undefined where there is no client to send an error to, or the client is not at fault. */
async function readFirstFrame(
  frames: AsyncIterator<ClientFrame>,
  client: ClientSocket,
  ending: AbortSignal,
): Promise<ClientFrame | undefined> {
  const timeout = setTimeout(() => client.endFrames(), configTimeoutMs);
  const { value, done } = await frames.next().finally(() => clearTimeout(timeout));
  if (!done) return value;
  if (client.disconnected.aborted || ending.aborted) return undefined;
  throw new GatewayError("invalid_json", "No configuration frame was received.");
}
