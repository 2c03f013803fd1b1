import { z } from "zod";
import type { Operation } from "../../openapi/operation.ts";
import { speechSchema } from "./schema.ts";

export const createSpeechOperation: Operation = {
  id: "createSpeech",
  tag: "Audio",
  summary: "Create speech",
  description:
    "The audio is streamed as the provider generates it. The first chunk may take long, because " +
    "some providers generate the complete audio first. An interrupted transfer is not billed.",
  body: {
    kind: "json",
    name: "SpeechRequest",
    schemas: [speechSchema],
    example: { model: "demo-speech", input: "Hello there.", voice: "alto" },
  },
  responses: {
    200: {
      description: "The audio, in the provider's content type or `audio/mpeg`.",
      content: { "audio/*": { schema: z.unknown().meta({ type: "string", format: "binary" }) } },
    },
  },
};
