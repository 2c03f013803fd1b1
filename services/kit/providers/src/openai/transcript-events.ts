import { isJsonObject, type JsonObject, jsonObjectOf } from "@tollgate/core/json";
import { createEventReader } from "@tollgate/upstream/event-stream";
import { SlotFailure } from "@tollgate/upstream/failure";
import {
  type ProviderResponse,
  readJsonObject,
  transportFailure,
} from "@tollgate/upstream/provider-response";
import type { RefusalReader } from "@tollgate/upstream/refusal";
import { refuseReportedError } from "@tollgate/upstream/reported-error";

/**
 * An event of a transcript as the gateway has it, or what the end of the transcript reports: its usage block,
 * and the duration beside it. The `duration` of a final with an `end` is the time between its `start` and it.
 */
export type FormTranscriptEvent =
  | { kind: "event"; event: JsonObject }
  | { kind: "usage"; usage: JsonObject | undefined; duration: unknown };

/**
 * Yields the transcript that a provider streams after OpenAI's form, as events of the gateway, with its
 * usage where the provider reports it: https://platform.openai.com/docs/api-reference/audio/transcript-text-done-event
 * The text so far is a partial; a segment is a final, and so is the whole text where there are no
 * segments. A provider that does not stream sends JSON: its text is one final. Throws a SlotFailure for a
 * stream that breaks, reports an error, or has neither a text nor an end.
 */
export async function* formTranscriptEvents(
  response: ProviderResponse,
  kind: RefusalReader,
  signal: AbortSignal,
): AsyncGenerator<FormTranscriptEvent> {
  const transcript = new FormTranscript();
  if (/^application\/json\b/i.test(response.contentType)) {
    const { value } = await readJsonObject(response, signal);
    refuseReportedError(value, kind);
    yield* transcript.done(value);
    return;
  }
  for await (const value of eventsOf(response, signal)) {
    refuseReportedError(value, kind);
    yield* transcript.read(value);
    if (transcript.isDone) return;
  }
  yield* transcript.end();
}

/** The text of a transcript so far. */
class FormTranscript {
  #text = "";
  #hasSegments = false;
  isDone = false;

  /** Yields what an event of OpenAI's or Mistral's API says. Other events are ignored. */
  *read(value: JsonObject): Generator<FormTranscriptEvent> {
    switch (value.type) {
      case "transcript.text.delta":
      case "transcription.text.delta":
        yield* this.#delta(value.delta ?? value.text);
        break;
      case "transcript.text.segment":
      case "transcription.segment":
        yield* this.#segment(value);
        break;
      case "transcript.text.done":
      case "transcription.done":
        yield* this.done(value);
    }
  }

  /** Yields the end of a transcript: its whole text, unless it was sent in segments, and its usage. */
  *done({ text, usage, duration }: JsonObject): Generator<FormTranscriptEvent> {
    this.isDone = true;
    const block = isJsonObject(usage) ? usage : undefined;
    if (block !== undefined || duration !== undefined) {
      yield { kind: "usage", usage: block, duration };
    }
    if (this.#hasSegments) return;
    const { seconds, prompt_audio_seconds }: JsonObject = block ?? {};
    const event = {
      type: "transcription.final",
      text: typeof text === "string" ? text : this.#text,
      duration: seconds ?? prompt_audio_seconds ?? duration,
    };
    yield { kind: "event", event };
  }

  /** Does the same for a stream that ends without saying so. */
  *end(): Generator<FormTranscriptEvent> {
    if (this.#text !== "") yield* this.done({});
    else if (!this.#hasSegments) {
      throw new SlotFailure("rejected", "the provider's stream has no transcript");
    }
  }

  *#delta(delta: unknown): Generator<FormTranscriptEvent> {
    if (typeof delta !== "string" || delta === "") return;
    this.#text += delta;
    yield { kind: "event", event: { type: "transcription.partial", text: this.#text } };
  }

  *#segment({ text, start, end, speaker, speaker_id }: JsonObject): Generator<FormTranscriptEvent> {
    if (typeof text !== "string") return;
    this.#hasSegments = true;
    this.#text = "";
    const isTimed = typeof start === "number" && typeof end === "number" && end >= start;
    const times = isTimed ? { start, end, duration: end - start } : {};
    const spoken = speaker ?? speaker_id ?? undefined;
    const event = { type: "transcription.final", text, ...times, speaker: spoken };
    yield { kind: "event", event };
  }
}

/** Yields the events that are JSON objects, up to `[DONE]` or the end of the stream. */
async function* eventsOf(
  { body }: ProviderResponse,
  signal: AbortSignal,
): AsyncGenerator<JsonObject> {
  const reader = createEventReader();
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value: chunk, done } = await nextChunk(chunks, signal);
      for (const { data } of chunk === undefined ? reader.end() : reader.read(chunk)) {
        if (data === "[DONE]") return;
        const value = jsonObjectOf(data);
        if (value !== undefined) yield value;
      }
      if (done) return;
    }
  } finally {
    await chunks.return?.();
  }
}

async function nextChunk(chunks: AsyncIterator<Buffer | undefined>, signal: AbortSignal) {
  try {
    return await chunks.next();
  } catch (error) {
    throw transportFailure(error, signal);
  }
}
