import type { Model } from "@tollgate/catalog/model";
import { GatewayError } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { dearestCostOfUnits } from "@tollgate/generation/pipeline";
import type { Modality } from "@tollgate/generation/provider-runtime";
import type { UploadStore } from "@tollgate/http/upload-store";
import { measureUnits } from "@tollgate/metering/measurement";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { type Refusal, SlotFailure } from "@tollgate/upstream/failure";
import { nameRequest, readJsonObject } from "@tollgate/upstream/provider-client";
import { refuseReportedError } from "@tollgate/upstream/reported-error";
import { readDuration, secondsIn } from "./seconds.ts";
import type { Upload } from "./upload.ts";
import { readWav, type Wav } from "./wav.ts";

/** The longest that one file may take. */
const ceilingMs = 240_000;
/** 16 kbit/s: no common codec packs speech into less. */
const leastBytesPerSecond = 2_000;

/** A provider's refusal that the client is shown as it is. */
export class RelayedRefusal extends Error {
  override readonly name = "RelayedRefusal";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super("the provider does not serve this language");
    this.refusal = refusal;
  }
}

/**
 * Transcribes a whole file: the provider's JSON, byte for byte. Bills the duration that the
 * provider reports, else the time that it took. Raises a RelayedRefusal where the alias must be
 * told a language and was told none, or one that no slot serves.
 */
export async function transcribe(
  { pipeline, providers }: Modality,
  caller: Caller,
  upload: Upload,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { alias, audio, contentType, language } = upload;
  const model = pipeline.resolve(alias, "transcriptions");
  const limited = AbortSignal.any([signal, AbortSignal.timeout(ceilingMs)]);
  const running = pipeline.run({
    caller,
    model,
    estimate: dearestCostOfUnits(model, estimatedSeconds(audio)),
    async ask(slot) {
      const startedAt = performance.now();
      const headers = {
        accept: "application/json",
        "content-type": contentType,
        "content-length": String(audio.bytes),
        ...nameRequest(caller.requestId),
      };
      const query = language === "" ? {} : { lang: language };
      try {
        const body = audio.read();
        const request = { method: "POST", path: slot.path, query, headers, body } as const;
        const response = await providers.send(slot, request, limited);
        const { bytes, value } = await readJsonObject(response, limited);
        refuseReportedError(value);
        return { bytes, value, elapsedMs: performance.now() - startedAt };
      } catch (error) {
        throw meaningOf(error, model, language, signal);
      }
    },
    measure({ value, elapsedMs }, slot) {
      const reported = reportedSeconds(value);
      const quantity = reported ?? secondsIn(elapsedMs / 1_000);
      const basis = reported === undefined ? "wall_clock" : "provider";
      return measureUnits({ quantity, basis }, slot);
    },
  });
  const { answer } = await running.catch((error: unknown) => {
    throw refusedLanguage(error) ?? error;
  });
  return answer.bytes;
}

/** What a hold must cover. A plain WAV tells its length; anything else is guessed by its size. */
function estimatedSeconds(audio: UploadStore): bigint {
  const wav = readWav(audio.head());
  const seconds =
    wav === undefined || !isPlain(wav)
      ? audio.bytes / leastBytesPerSecond
      : (audio.bytes - wav.dataOffset) / wav.bytesPerSecond;
  return seconds <= 1 ? 1n : BigInt(Math.ceil(seconds));
}

/**
 * Whether its seconds follow from its samples. A pace that only the header claims holds too little.
 */
function isPlain({ sampleRate, channels, bitsPerSample, bytesPerSecond }: Wav): boolean {
  return bytesPerSecond > 0 && bytesPerSecond === (sampleRate * channels * bitsPerSample) / 8;
}

function reportedSeconds({ duration, usage }: JsonObject): bigint | undefined {
  const seconds =
    readDuration(duration) ?? readDuration(isJsonObject(usage) ? usage.seconds : undefined);
  return seconds === undefined ? undefined : secondsIn(seconds);
}

/**
 * A 502 of an alias that must be told a language is the provider's word on the language. Where one
 * was told, another slot may serve it; and as the client chose it, it says nothing of the slot.
 */
function meaningOf(
  error: unknown,
  { transcription }: Model,
  language: string,
  signal: AbortSignal,
): unknown {
  if (error instanceof SlotFailure) {
    const { status, refusal, message } = error;
    const speaksOfLanguage = status === 502 && transcription?.language === "required";
    if (!speaksOfLanguage || refusal === undefined) return error;
    if (language === "") return new RelayedRefusal(refusal);
    return new SlotFailure("unusable", message, { status, refusal });
  }
  if (error instanceof DOMException && error.name === "TimeoutError" && !signal.aborted) {
    return new SlotFailure("unreachable", "the transcription took longer than the gateway allows");
  }
  return error;
}

/** What the last slot that answered said of the language, once none has served it. */
function refusedLanguage(error: unknown): RelayedRefusal | undefined {
  const failure = error instanceof GatewayError ? error.cause : undefined;
  if (!(failure instanceof SlotFailure) || failure.kind !== "unusable") return undefined;
  return failure.refusal && new RelayedRefusal(failure.refusal);
}
