import type { Model } from "@tollgate/catalog/model";
import type { Cancellable } from "@tollgate/core/cancellation";
import { invalidParam } from "@tollgate/core/errors";
import { listValues } from "@tollgate/core/schema-errors";
import { endedByCaller } from "@tollgate/generation/ended-by-caller";
import { highestCostOfUnits } from "@tollgate/generation/estimate";
import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { measureUnits } from "@tollgate/metering/measurement";
import type { SpeakRequest } from "@tollgate/proto/tollgate/v1/audio";
import { ClientBody } from "@tollgate/providers/client-body";
import { checkSpeech, postSpeech } from "@tollgate/providers/speech";
import type { SpeechMembers } from "@tollgate/providers/speech-adapter";
import { SlotFailure } from "@tollgate/upstream/failure";
import {
  isTotalTimeout,
  type ProviderResponse,
  transportFailure,
} from "@tollgate/upstream/provider-response";

const defaultType = "audio/mpeg";
/** No provider labels audio with this type, though some use types outside `audio/`. */
const jsonType = /^application\/(?:[\w.-]+\+)?json\b/i;

interface SpeechChunk {
  contentType?: string;
  audio?: Uint8Array;
}

/**
 * Yields speech as it arrives; the first chunk has the content type. Bills the characters of the
 * input once all audio was sent, and also when the caller leaves or the deadline passes before. The
 * provider that was called is cancelled then, once its audio begins. Throws
 * `invalid_param` for an input over the alias's limit, and for what the alias or a slot of it does not
 * support.
 */
export async function* speak(
  { engine, providers }: ProviderRuntime,
  call: SpeakRequest,
  cancellation: Cancellable,
): AsyncGenerator<SpeechChunk> {
  const model = engine.resolve(call.alias, "speech", call.caller);
  checkLimits(call, model);
  const body = new ClientBody<SpeechMembers>(call.body);
  checkSpeech(model, body);
  const quantity = BigInt(call.characters);
  const estimate = highestCostOfUnits(model, quantity);
  const { signal } = cancellation;
  const billable = { caller: call.caller, model, estimate, cancellation };
  yield* engine.stream(billable, async function* (generation) {
    const { slot, response } = await generation.attemptStream(async (slot) => {
      const { requestId = "" } = call.caller ?? {};
      const details = { accept: "audio/*", requestId, signal } as const;
      const sent = await postSpeech(providers, slot, body, details);
      return { chunks: await openAudio(sent, signal) };
    });
    const measured = measureUnits({ quantity, basis: "input" }, slot);
    generation.billPartial((failure) => {
      const isLeft = failure === undefined || failure === signal.reason;
      const isCallers = signal.aborted && isLeft ? endedByCaller(signal) : isOpen(failure);
      return isCallers ? { slot, response: measured } : undefined;
    });
    yield* response.chunks;
    await generation.settle(slot, measured);
  });
}

/** Whether a stream without failure, or that took too long, ended while its provider sent audio. */
function isOpen(failure: unknown): boolean {
  return failure === undefined || isTotalTimeout(failure);
}

function checkLimits({ characters, format }: SpeakRequest, { alias, speech }: Model): void {
  if (speech === undefined) throw new Error("a speech alias has a speech section");
  if (characters > speech.maxCharacters) {
    const limit = `at most ${speech.maxCharacters} characters for ${alias}`;
    throw invalidParam("input", `must have ${limit}, not ${characters}. Split the text`);
  }
  if (format !== "" && !speech.formats.some((one) => one === format)) {
    throw invalidParam("response_format", `must be ${listValues(speech.formats)} for ${alias}`);
  }
}

/**
 * Returns the chunks of a response once its first bytes have arrived, so that a slot which sends
 * none counts as failed. JSON instead of audio may be the request's fault, whatever its status, so
 * it does not count against the slot.
 */
async function openAudio(
  { contentType, body }: ProviderResponse,
  signal: AbortSignal,
): Promise<AsyncIterable<SpeechChunk>> {
  if (jsonType.test(contentType)) {
    body.letEnd();
    throw new SlotFailure("unusable", "the provider responded with JSON instead of audio");
  }
  const chunks = body[Symbol.asyncIterator]();
  const next = async () => {
    try {
      return await chunks.next();
    } catch (error) {
      throw transportFailure(error, signal);
    }
  };
  const first = await next();
  if (first.done) throw new SlotFailure("rejected", "the provider's audio is empty");
  return (async function* () {
    try {
      const type = /^audio\//i.test(contentType) ? contentType : defaultType;
      yield { contentType: type };
      for (let chunk: IteratorResult<Buffer> = first; !chunk.done; chunk = await next()) {
        yield { audio: chunk.value };
      }
    } finally {
      await chunks.return?.();
    }
  })();
}
