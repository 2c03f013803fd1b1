import { liveAudio } from "@tollgate/kit/live-audio";
import { envelopeSchema } from "../../openapi/error-responses.ts";
import { type JsonSchema, schemaRef } from "../../openapi/json-schema.ts";

/** The audio service validates the frames. These schemas describe them in the document. */

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
        retryable: { type: "boolean", description: "Whether a retry may succeed." },
      },
    },
  },
};

/** The frames of the WebSocket, for `x-websocket`. */
export const framesSchema: JsonSchema = {
  client: [
    { frame: "text", description: "The first frame: the configuration.", schema: configuration },
    {
      frame: "binary",
      description:
        "Audio: signed 16-bit little-endian PCM, 16 kHz, mono. A frame can hold up to 1 MiB.",
    },
    {
      frame: "text",
      description:
        "The end of the audio. Events are sent until all of it is transcribed. Browsers must " +
        "send this frame.",
      schema: { const: { action: "flush" } },
    },
    {
      frame: "close",
      description: "Has the same effect as `flush`. The gateway sends its own close frame last.",
    },
  ],
  server: [
    { frame: "text", description: "A transcript event.", schema: schemaRef("TranscriptEvent") },
    { frame: "text", description: "An error. The gateway then closes.", schema: failure },
  ],
};
