import type { Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import type { Generation } from "@tollgate/generation/generation";
import { dearestCostOfUnits } from "@tollgate/generation/pipeline";
import type { Modality } from "@tollgate/generation/provider-runtime";
import { type Measurement, measureUnits } from "@tollgate/metering/measurement";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { type AudioProgress, drainEvents } from "../drained-events.ts";
import { connectProvider, type ProviderSocket } from "../provider-socket.ts";
import { secondsIn } from "../seconds.ts";
import { flushMarker, streamingModel } from "../stream.ts";
import { createTally } from "../tally.ts";
import { pcmBytesPerSecond } from "../wav.ts";
import { createBudget, secondsAtATime } from "./budget.ts";
import { readConfigFrame } from "./config-frame.ts";
import type { ClientFrame, LiveSocket } from "./live-socket.ts";

/** How long a client may take to send its configuration. */
const configTimeoutMs = 30_000;
/** The longest that one stream may last. */
const maxSessionMs = 6 * 60 * 60 * 1_000;
const budgetEveryMs = 1_000;
/**
 * A provider closes once it has said it all, and may think over its last words for a while. One
 * that stays open is not waited for as long as clients wait for the answer to their close frame:
 * 10 s in browsers.
 */
const idleMs = 8_000;

/**
 * Serves one live transcription to its end: the configuration, then audio up and events down until
 * the provider has said it all. Raises what the client is to be told. Whatever happens, the
 * generation is settled: a stream that the provider or the gateway fails is not billed, one that
 * the client or its money ends is billed for what was used. A client whose frames
 * end without a configuration is told so, unless `ending` has aborted: it is not to blame then.
 */
export async function serveSession(
  { pipeline, providers }: Modality,
  caller: Caller,
  client: LiveSocket,
  ending: AbortSignal,
): Promise<void> {
  const frames = client.frames[Symbol.asyncIterator]();
  const first = await firstFrame(frames, client, ending);
  if (first === undefined) return;
  const resolve = (alias: string) =>
    streamingModel(pipeline.resolve(alias, "transcriptions"), "model");
  const model = readConfigFrame(first, resolve);
  const estimate = dearestCostOfUnits(model, secondsAtATime);
  const generation = await pipeline.open(caller, model, estimate);
  let stream: LiveStream | undefined;
  try {
    const { slot, answer } = await generation.call((one) =>
      connectProvider(one, providers, caller.requestId, client.gone),
    );
    stream = openStream(client, answer, slot, generation);
    await stream.run(frames);
  } catch (error) {
    const isOver = client.gone.aborted || isExhausted(error);
    if (stream !== undefined && (isOver || (isRefusal(error) && stream.hasDelivered()))) {
      await generation.complete(stream.slot, stream.measure());
    } else {
      await generation.fail(error);
    }
    throw error;
  }
  await generation.complete(stream.slot, stream.measure());
}

async function firstFrame(
  frames: AsyncIterator<ClientFrame>,
  client: LiveSocket,
  ending: AbortSignal,
): Promise<ClientFrame | undefined> {
  const late = setTimeout(() => client.endFrames(), configTimeoutMs);
  const { value, done } = await frames.next().finally(() => clearTimeout(late));
  if (!done) return value;
  if (client.gone.aborted || ending.aborted) return undefined;
  throw new GatewayError("invalid_json", "The configuration did not come.");
}

interface LiveStream {
  slot: Slot;
  /** Resolves when all events are out. */
  run(frames: AsyncIterator<ClientFrame>): Promise<void>;
  /** Whether the client was sent anything. */
  hasDelivered(): boolean;
  measure(): Measurement;
}

function openStream(
  client: LiveSocket,
  provider: ProviderSocket,
  slot: Slot,
  generation: Generation,
): LiveStream {
  const startedAt = performance.now();
  const elapsedSeconds = () => (performance.now() - startedAt) / 1_000;
  // Once the audio is over, the time that the gateway waits for more to be said is its own.
  let usedSeconds: number | undefined;
  const budget = createBudget(generation, slot.pricing.input);
  const tally = createTally();
  const progress: AudioProgress & { bytes: number } = { flushed: false, bytes: 0 };

  async function sendUp(frames: AsyncIterator<ClientFrame>): Promise<void> {
    for (let next = await frames.next(); !next.done; next = await frames.next()) {
      if (next.value.kind === "text") {
        if (isFlush(next.value.text)) break;
        throw new GatewayError("invalid_json", 'A text frame can only be {"action":"flush"}.');
      }
      progress.bytes += next.value.audio.length;
      await budget.cover(progress.bytes / pcmBytesPerSecond);
      await provider.send(next.value.audio);
    }
    await provider.send(flushMarker);
    progress.flushed = true;
    usedSeconds = elapsedSeconds();
  }

  async function sendDown(): Promise<void> {
    const { timeoutMs } = slot.provider;
    for await (const event of drainEvents(provider, progress, { idleMs, timeoutMs })) {
      tally.add(event);
      if (progress.flushed) usedSeconds = elapsedSeconds();
      if (event.type !== "transcription.refine") await client.sendJson(event);
    }
  }

  return {
    slot,
    async run(frames) {
      let failure: { error: unknown } | undefined;
      const giveUp = (error: unknown) => {
        failure ??= { error };
        provider.close();
      };
      const clock = setInterval(() => {
        if (elapsedSeconds() * 1_000 > maxSessionMs) client.endFrames();
        if (!progress.flushed) budget.cover(elapsedSeconds()).catch(giveUp);
      }, budgetEveryMs);
      void sendUp(frames).catch(giveUp);
      try {
        await sendDown();
        client.gone.throwIfAborted();
      } catch (error) {
        throw failure?.error ?? error;
      } finally {
        clearInterval(clock);
        client.endFrames();
      }
      if (failure !== undefined) throw failure.error;
    },
    hasDelivered: () => tally.events > 0,
    measure() {
      const quantity = secondsIn(usedSeconds ?? elapsedSeconds());
      return measureUnits(tally.finals() ?? { quantity, basis: "wall_clock" }, slot);
    },
  };
}

function isFlush(text: string): boolean {
  try {
    return (JSON.parse(text) as { action?: unknown } | null)?.action === "flush";
  } catch {
    return false;
  }
}

/** Whether it was the client's doing. */
function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && error.status < 500;
}

function isExhausted(error: unknown): boolean {
  return error instanceof GatewayError && error.code === "credit_balance_exhausted";
}
