import { transcriptEventSchema } from "@tollgate/http/forms/live-transcription";
import { fullTranscriptionForm, refusedInStreams } from "@tollgate/http/forms/transcription";
import { z } from "zod";
import { eventStream } from "../../openapi/event-stream.ts";
import type { Operation } from "../../openapi/operation.ts";

const emptyInStreams = Object.fromEntries(
  Object.keys(refusedInStreams).map((name) => [
    name,
    name.endsWith("[]") ? false : { maxLength: 0 },
  ]),
);

const transcriptEventsExample = eventStream([
  { data: { type: "transcription.partial", text: "word 1", speaker: "A" } },
  {
    data: {
      ...{ type: "transcription.final", text: "sentence 0", speaker: "A" },
      ...{ start: 0, end: 2, duration: 2 },
    },
  },
  { data: { type: "transcription.refine", text: "all of it", lang: "en" } },
  { data: "[DONE]" },
]);

export const createTranscriptionOperation: Operation = {
  id: "createTranscription",
  tag: "Audio",
  summary: "Transcribe an audio file",
  description:
    "With `stream`, the response is a stream of server-sent events: a comment, then events with a " +
    "`TranscriptEvent` each, then `[DONE]`. A stream that fails ends with an event that contains " +
    "an error. `language`, `prompt`, `response_format` and `temperature` cannot be set with " +
    "`stream`. A transcription can take up to four minutes; split longer audio. A stream is charged " +
    "for the audio that the provider was sent, however it ends.",
  body: {
    kind: "form",
    name: "TranscriptionForm",
    form: fullTranscriptionForm,
    example: { file: "@speech.wav", model: "demo-transcribe" },
    rules: {
      if: { properties: { stream: { const: "true" } }, required: ["stream"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: emptyInStreams },
    },
  },
  responses: {
    200: {
      description: "The provider's response, or a stream of transcript events.",
      content: {
        "application/json": {
          name: "Transcription",
          schema: z.looseObject({}),
          example: { text: "simulated transcript", language: "en", duration: 2 },
        },
        "text/event-stream": {
          schema: z.string(),
          example: transcriptEventsExample,
          event: { name: "TranscriptEvent", schema: transcriptEventSchema },
        },
      },
    },
  },
  errors: ["unsupported_audio_format"],
  relayed:
    "If an alias requires a language and its provider does not support the given one, the " +
    "provider's response is returned, in any format. With `x-should-retry: false`, a retry with " +
    "the same language fails again; without it, the provider may be out of service for a moment.",
};
