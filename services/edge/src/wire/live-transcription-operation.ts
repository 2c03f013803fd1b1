import { liveAudio } from "@tollgate/http/forms/live-transcription";
import { envelopeSchema } from "../openapi/error-answers.ts";
import type { Operation } from "../openapi/operation.ts";
import { type JsonSchema, referTo } from "../openapi/schema.ts";

const configuration: JsonSchema = {
  type: "object",
  required: ["model", "format"],
  properties: {
    model: {
      type: "string",
      minLength: 1,
      description: "The alias of a model whose `route_type` is `transcriptions`.",
    },
    ...Object.fromEntries(
      Object.entries(liveAudio).map(([name, value]) => [name, { const: value }]),
    ),
  },
  additionalProperties: false,
};

const { error } = envelopeSchema.properties;
const failure: JsonSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      ...error,
      required: [...error.required, "retryable"],
      properties: {
        ...error.properties,
        retryable: { type: "boolean", description: "Whether to try again." },
      },
    },
  },
};

const frames: JsonSchema = {
  client: [
    { frame: "text", about: "First, once: what is to come.", schema: configuration },
    {
      frame: "binary",
      about: "Then the audio: signed 16 bit, little-endian, 16 kHz, mono; a MiB a frame at most.",
    },
    {
      frame: "text",
      about: "The audio is over; events come until all of it was heard. A browser needs this.",
      schema: { const: { action: "flush" } },
    },
    { frame: "close", about: "Means the same. The gateway's own close frame comes at the end." },
  ],
  server: [
    { frame: "text", about: "What was heard.", schema: referTo("TranscriptEvent") },
    { frame: "text", about: "What went wrong; the connection ends with it.", schema: failure },
  ],
};

export const liveTranscriptionOperation: Operation = {
  id: "streamTranscription",
  tag: "Audio",
  summary: "Transcribe live audio over a WebSocket",
  about:
    "The request is an upgrade. What is wrong with its key or wallet is refused as plain HTTP; " +
    "what is wrong with the first frame is told in a frame. A browser, which cannot set the " +
    "header, sends its key as the sub-protocol `openai-insecure-api-key.` with the key behind it.",
  access: "key",
  answers: { 101: { about: "The connection is a WebSocket now; `x-websocket` tells its frames." } },
  errors: ["invalid_param", "unknown_param", "credit_balance_exhausted"],
  extensions: { "x-websocket": frames },
};
