import { liveAudio } from "@tollgate/http/forms/live-transcription";
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

interface Frame {
  frame: "text" | "binary" | "close";
  description: string;
  schema?: JsonSchema;
}

const clientFrames: readonly Frame[] = [
  { frame: "text", description: "The first frame: the configuration.", schema: configuration },
  {
    frame: "binary",
    description:
      "Audio: signed 16-bit little-endian PCM, 16 kHz, mono. A frame can hold up to 1 MiB.",
  },
  {
    frame: "text",
    description:
      'The end of the audio: `{"action":"flush"}`. Events are sent until all of it is ' +
      "transcribed. Browsers must send this frame.",
    schema: { const: { action: "flush" } },
  },
  {
    frame: "close",
    description: "Has the same effect as `flush`. The gateway sends its own close frame last.",
  },
];

const serverFrames: readonly Frame[] = [
  {
    frame: "text",
    description: "A transcript event: a `TranscriptEvent`.",
    schema: schemaRef("TranscriptEvent"),
  },
  { frame: "text", description: "An error. The gateway then closes.", schema: failure },
];

/** The frames of the WebSocket, for `x-websocket`. */
export const framesSchema: JsonSchema = { client: clientFrames, server: serverFrames };

const exampleConfiguration = { model: "demo-transcribe", ...liveAudio };

/** The frames as Markdown. */
export const framesDescription = `The client sends:

${toList(clientFrames)}

The gateway sends:

${toList(serverFrames)}

An example of a configuration:

\`\`\`json
${JSON.stringify(exampleConfiguration, null, 2)}
\`\`\``;

function toList(frames: readonly Frame[]): string {
  return frames.map(({ frame, description }) => `- ${frame}: ${description}`).join("\n");
}
