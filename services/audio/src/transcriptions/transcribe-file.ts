import type { Model } from "@tollgate/catalog/model";
import type { Cancellable } from "@tollgate/core/cancellation";
import { GatewayError } from "@tollgate/core/errors";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import type { Caller } from "@tollgate/proto/tollgate/v1/caller";
import { postTranscription } from "@tollgate/providers/transcription";
import { SlotFailure } from "@tollgate/upstream/failure";
import { audioFileName } from "./audio-file-name.ts";
import { estimateFile } from "./file-estimate.ts";
import { mostSecondsOfFile } from "./file-seconds.ts";
import { measureFile } from "./file-usage.ts";
import { LanguageRefusal, namesLanguage } from "./language-refusal.ts";
import { asTimedOut, maxTranscriptionMs, startTranscriptionLimit } from "./transcription-limit.ts";
import type { Upload } from "./upload.ts";

/**
 * Transcribes a file. Returns the provider's JSON, byte for byte, or what its adapter makes of it. A
 * provider that was called responds although the caller leaves. Bills what `measureFile` returns. Throws a
 * LanguageRefusal where the alias requires a language and the request names none, or one that no slot
 * supports.
 */
export async function transcribeFile(
  { engine, providers }: ProviderRuntime,
  caller: Caller,
  upload: Upload,
  cancellation: Cancellable,
): Promise<Uint8Array> {
  const { signal } = cancellation;
  const { alias, audio, contentType, language, options } = upload;
  const model = engine.resolve(alias, "transcriptions", caller);
  const limit = startTranscriptionLimit();
  const limited = AbortSignal.any([signal, limit.signal]);
  const held = estimateFile(model, mostSecondsOfFile(audio), options.prompt);
  const billable = { caller, model, ...held, cancellation };
  const fileName = audioFileName(upload);
  const running = engine.generate(billable, async (generation) => {
    const { slot, response } = await generation.attempt(async (slot) => {
      // No time is left for another slot, which has not failed.
      if (limited.aborted && !signal.aborted) throw tookTooLong();
      const startedAt = performance.now();
      const call = { requestId: caller.requestId, defaultTimeoutMs: maxTranscriptionMs };
      try {
        const file = { language, contentType, fileName, options, bytes: audio.byteLength() };
        const sent = { ...file, read: () => audio.read() };
        const response = await postTranscription(providers, slot, sent, {
          ...call,
          signal: limited,
        });
        return { ...response, elapsedMs: performance.now() - startedAt };
      } catch (error) {
        throw failureOf(error, model, language, signal);
      }
    });
    const used = measureFile(response.value, upload, response.elapsedMs, { slot, model });
    await generation.settle(slot, used);
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
  return signal.aborted ? error : asTimedOut(error);
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
