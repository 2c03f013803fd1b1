import type { Model, Slot } from "@tollgate/catalog/model";
import { invalidParam } from "@tollgate/core/errors";
import { dearestCostOfUnits } from "@tollgate/generation/pipeline";
import type { Modality } from "@tollgate/generation/provider-runtime";
import { type StreamedOrder, streamAnswer } from "@tollgate/generation/streamed-response";
import { type Measurement, measureUnits } from "@tollgate/metering/measurement";
import type { SpeakRequest } from "@tollgate/proto/tollgate/v1/audio";
import { SlotFailure } from "@tollgate/upstream/failure";
import { spliceBody } from "@tollgate/upstream/json-body";
import { type ProviderAnswer, transportFailure } from "@tollgate/upstream/provider-client";

const defaultType = "audio/mpeg";
/** What no audio is called, unlike other types that servers give what they do not know. */
const jsonType = /^application\/(?:[\w.-]+\+)?json\b/i;

interface SpeechPart {
  contentType?: string;
  audio?: Uint8Array;
}

/**
 * Answers speech as it arrives, the content type in the first part. Bills the input's characters
 * once all audio is out, and also when the client leaves within it. Raises `invalid_param` for an
 * input over the alias's cap, and for a format that the alias does not take.
 */
export async function* speak(
  { pipeline, providers }: Modality,
  call: SpeakRequest,
  signal: AbortSignal,
): AsyncGenerator<SpeechPart> {
  const model = pipeline.resolve(call.alias, "speech");
  checkSpeech(call, model);
  const quantity = BigInt(call.characters);
  const measure = (slot: Slot): Measurement => measureUnits({ quantity, basis: "input" }, slot);
  let delivered = false;
  const order: StreamedOrder<SpeechPart> = {
    caller: call.caller,
    model,
    estimate: dearestCostOfUnits(model, quantity),
    async open(slot: Slot) {
      const body = spliceBody({ model: slot.upstreamModel }, call.body);
      const { requestId = "" } = call.caller ?? {};
      const answer = await providers.post(slot, body, { accept: "audio/*", requestId, signal });
      return openAudio(answer, signal, () => {
        delivered = true;
      });
    },
    measure,
    measureLeft: (slot: Slot) => (delivered ? measure(slot) : undefined),
  };
  yield* streamAnswer(pipeline, order, signal);
}

function checkSpeech({ characters, format }: SpeakRequest, { alias, speech }: Model): void {
  if (speech === undefined) throw new Error("a speech alias says what it takes");
  if (characters > speech.maxCharacters) {
    const most = `${speech.maxCharacters} characters at most`;
    throw invalidParam("input", `${alias} takes ${most}, not ${characters}. Split the text`);
  }
  if (format !== "" && !speech.formats.some((one) => one === format)) {
    throw invalidParam("response_format", `${alias} takes ${speech.formats.join(", ")}`);
  }
}

/**
 * Waits for the first bytes, so that a slot that has none still counts as failed. JSON in place of
 * audio may be the request's fault, whatever its status says: it does not speak against the slot.
 */
async function openAudio(
  { contentType, body }: ProviderAnswer,
  signal: AbortSignal,
  onDelivered: () => void,
): Promise<AsyncIterable<SpeechPart>> {
  if (jsonType.test(contentType)) {
    body.letEnd();
    throw new SlotFailure("unusable", "the provider answered JSON and no audio");
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
        onDelivered();
      }
    } finally {
      await chunks.return?.();
    }
  })();
}
