import type { Slot } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { dearestCostOfUnits } from "@tollgate/generation/estimate";
import type { Generation } from "@tollgate/generation/generation";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
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
 * Serves one live transcription to its end: the configuration, then audio to the provider and events
 * to the client until the provider closes. Throws the error that the client is sent. A stream that
 * the provider or the gateway fails is not billed; a stream that the client ends, or the end of its
 * money, is billed for what was used. Where the frames end without a configuration, it throws
 * `invalid_json`, unless the gateway itself is ending.
 */
export async function serveSession(
  { engine, providers }: ProviderRuntime,
  caller: Caller,
  client: LiveSocket,
  ending: AbortSignal,
): Promise<void> {
  const frames = client.frames[Symbol.asyncIterator]();
  const first = await firstFrame(frames, client, ending);
  if (first === undefined) return;
  const resolve = (alias: string) =>
    streamingModel(engine.resolve(alias, "transcriptions"), "model");
  const model = readConfigFrame(first, resolve);
  const estimate = dearestCostOfUnits(model, secondsAtATime);
  await engine.generate({ caller, model, estimate }, async (generation) => {
    const { slot, response: provider } = await generation.attempt((slot) =>
      connectProvider(slot, providers, caller.requestId, client.gone),
    );
    const stream = openStream(client, provider, slot, generation);
    generation.billPartial((failure) => {
      const isEndedByClient = client.gone.aborted || isExhausted(failure);
      const isBilled = isEndedByClient || (isRefusal(failure) && stream.hasDelivered());
      return isBilled ? { slot, response: stream.measure() } : undefined;
    });
    await stream.run(frames);
    await generation.settle(slot, stream.measure());
  });
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
  throw new GatewayError("invalid_json", "No configuration frame was received.");
}

interface LiveStream {
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
