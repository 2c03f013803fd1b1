import { transcriptEventSchema } from "@tollgate/http/forms/live-transcription";
import { transcriptionForm } from "@tollgate/http/forms/transcription";
import { z } from "zod";
import type { Operation } from "../openapi/operation.ts";
import { uploadOperation } from "../openapi/upload-operation.ts";

export const transcriptionsOperation: Operation = uploadOperation({
  id: "createTranscription",
  tag: "Audio",
  summary: "Transcribe an audio file",
  about:
    "With `stream` the answer comes as server-sent events: a comment first, then events with " +
    "JSON, then `[DONE]`. A stream that breaks ends with one event that holds an error. Four " +
    "minutes are the longest that one file may take: split longer audio.",
  body: { kind: "form", name: "TranscriptionForm", form: transcriptionForm },
  answers: {
    200: {
      about: "The provider's answer as it came, or a stream of what was heard.",
      content: {
        "application/json": { name: "Transcription", schema: z.looseObject({}) },
        "text/event-stream": {
          schema: z.string(),
          event: { name: "TranscriptEvent", schema: transcriptEventSchema },
        },
      },
    },
  },
  errors: ["unsupported_audio_format"],
  relayed:
    "Where an alias has to be told the language, and its provider does not serve it, the " +
    "provider's answer comes as it is, in whatever form: another try with the same language will " +
    "not do better.",
});
