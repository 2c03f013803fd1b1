import type { Model } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { highestCostOfUnits } from "@tollgate/generation/estimate";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { UploadStore } from "@tollgate/http/upload-store";
import { measureUnits } from "@tollgate/metering/measurement";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { postTranscription } from "@tollgate/providers/transcription";
import { SlotFailure } from "@tollgate/upstream/failure";
import { billableSeconds, readDuration } from "../durations.ts";
import { LanguageRefusal, namesLanguage } from "./language-refusal.ts";
import type { Upload } from "./upload.ts";
import { readWavHeader, type WavHeader } from "./wav-header.ts";

/**
 * How long the transcription of one file may take, at all slots together. A provider without a timeout
 * of its own may take all of it.
 */
const maxTranscriptionMs = 240_000;
/** 16 kbit/s: no common codec encodes speech in less. */
const minBytesPerSecond = 2_000;

/**
 * Transcribes a file. Returns the provider's JSON, byte for byte, or what its adapter makes of it.
 * Bills the duration that the provider reports, else the time that the call took. Throws a
 * LanguageRefusal where the alias requires a language and the request names none, or one that no slot
 * supports.
 */
export async function transcribeFile(
  { engine, providers }: ProviderRuntime,
  caller: Caller,
  upload: Upload,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { alias, audio, contentType, language } = upload;
  const model = engine.resolve(alias, "transcriptions", caller);
  const limit = startLimit();
  const limited = AbortSignal.any([signal, limit.signal]);
  const estimate = highestCostOfUnits(model, estimatedSeconds(audio));
  const running = engine.generate({ caller, model, estimate }, async (generation) => {
    const { slot, response } = await generation.attempt(async (slot) => {
      // No time is left for another slot, which has not failed.
      if (limited.aborted && !signal.aborted) throw tookTooLong();
      const startedAt = performance.now();
      const call = { requestId: caller.requestId, defaultTimeoutMs: maxTranscriptionMs };
      try {
        const file = { language, contentType, bytes: audio.byteLength(), read: () => audio.read() };
        const sent = { ...call, signal: limited };
        const response = await postTranscription(providers, slot, file, sent);
        return { ...response, elapsedMs: performance.now() - startedAt };
      } catch (error) {
        throw failureOf(error, model, language, signal);
      }
    });
    const reported = reportedSeconds(response.value);
    const quantity = reported ?? billableSeconds(response.elapsedMs / 1_000);
    const basis = reported === undefined ? "wall_clock" : "provider";
    const { usage } = response.value;
    const providerUsage = isJsonObject(usage) ? usage : undefined;
    await generation.settle(slot, measureUnits({ quantity, basis, providerUsage }, slot));
    return response.bytes;
  });
  try {
    return await running;
  } catch (error) {
    throw refusedLanguage(error) ?? error;
  } finally {
    limit.stop();
  }
}

/**
 * Starts the time limit. Unlike that of `AbortSignal.timeout`, its timer can be stopped: it would
 * retain the buffers of a transcription that has ended for four minutes.
 */
function startLimit() {
  const controller = new AbortController();
  const end = () => controller.abort(new DOMException("the time limit has passed", "TimeoutError"));
  const timer = setTimeout(end, maxTranscriptionMs);
  return { signal: controller.signal, stop: () => clearTimeout(timer) };
}

/**
 * Returns the seconds that a hold must cover: the duration of a plain WAV, else the longest
 * duration that a file of this size can have.
 */
function estimatedSeconds(audio: UploadStore): bigint {
  const wav = readWavHeader(audio.head());
  const seconds =
    wav === undefined || !isPlain(wav)
      ? audio.byteLength() / minBytesPerSecond
      : (audio.byteLength() - wav.dataOffset) / wav.bytesPerSecond;
  return seconds <= 1 ? 1n : BigInt(Math.ceil(seconds));
}

/**
 * Returns whether the header's byte rate is that of its samples. A higher one would shrink the
 * hold.
 */
function isPlain({ sampleRate, channels, bitsPerSample, bytesPerSecond }: WavHeader): boolean {
  return bytesPerSecond > 0 && bytesPerSecond === (sampleRate * channels * bitsPerSample) / 8;
}

function reportedSeconds({ duration, usage }: JsonObject): bigint | undefined {
  const seconds =
    readDuration(duration) ?? readDuration(isJsonObject(usage) ? usage.seconds : undefined);
  return seconds === undefined ? undefined : billableSeconds(seconds);
}

/**
 * Returns what the failure of a slot is reported as. Where the client named a language that the slot
 * refuses, another slot may support it, and the refusal does not count against this slot.
 */
function failureOf(error: unknown, model: Model, language: string, signal: AbortSignal): unknown {
  if (error instanceof SlotFailure) {
    const { refusal, message } = error;
    if (refusal === undefined || !mayRefuseLanguage(error, model)) return error;
    if (language === "") return new LanguageRefusal(refusal);
    return new SlotFailure("unusable", message, { refusal });
  }
  if (error instanceof DOMException && error.name === "TimeoutError" && !signal.aborted) {
    return new SlotFailure("unreachable", "the transcription took longer than the gateway allows");
  }
  return error;
}

/**
 * Returns whether a provider may have refused the language. Only an alias that requires one has it
 * refused: by a 502, whatever its body is, or by a 400 or 422 that names the language.
 */
function mayRefuseLanguage({ status, refusal }: SlotFailure, { transcription }: Model): boolean {
  if (transcription?.language !== "required" || refusal === undefined) return false;
  return status === 502 || ((status === 400 || status === 422) && namesLanguage(refusal));
}

function tookTooLong(): GatewayError {
  const message =
    `The transcription took longer than ${maxTranscriptionMs / 1_000} seconds. ` +
    "Split longer audio into several requests.";
  return new GatewayError("no_provider_available", message);
}

/** Returns the last slot's refusal where no slot supports the language. */
function refusedLanguage(error: unknown): LanguageRefusal | undefined {
  const failure = error instanceof GatewayError ? error.cause : undefined;
  if (!(failure instanceof SlotFailure) || failure.kind !== "unusable") return undefined;
  return failure.refusal && new LanguageRefusal(failure.refusal);
}
