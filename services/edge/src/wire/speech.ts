import { speechFormats } from "@tollgate/catalog/model";
import { codePoints } from "@tollgate/core/code-points";
import type { AudioService } from "@tollgate/proto/tollgate/v1/audio";
import type { Client } from "@tollgate/rpc/implementation";
import { z } from "zod";
import type { BillableRoute } from "../billable.ts";
import { repeatedOperation } from "../openapi/billable-operation.ts";
import { validate, withoutNulls } from "../validation.ts";
import { alias, numberFrom, oneOf, text } from "./fields.ts";

const timeoutMs = 30 * 60 * 1_000;

/** POST /v1/audio/speech: audio as it comes. A retry runs again, whatever its idempotency key. */
export function speech(audio: Client<typeof AudioService>): BillableRoute {
  return {
    isReplayed: false,
    parse(body) {
      const { model, ...members } = validate(schema, withoutNulls(schema, body));
      return async (caller, options) => {
        const parts = audio.speak(
          {
            caller,
            alias: model,
            body: Buffer.from(JSON.stringify(members)),
            characters: codePoints(members.input),
            format: members.response_format ?? "",
          },
          { ...options, timeoutMs },
        );
        const iterator = parts[Symbol.asyncIterator]();
        const first = await iterator.next();
        const contentType = first.done ? "audio/mpeg" : first.value.contentType;
        return { contentType, events: audioOf(iterator) };
      };
    },
  };
}

async function* audioOf(parts: AsyncIterator<{ audio: Uint8Array }>): AsyncGenerator<Uint8Array> {
  try {
    for (let part = await parts.next(); !part.done; part = await parts.next()) {
      yield part.value.audio;
    }
  } finally {
    await parts.return?.();
  }
}

const schema = z.strictObject({
  model: alias,
  input: text
    .min(1, "must not be empty")
    .describe("The text to speak, billed by its characters. Every alias has a longest one."),
  voice: text
    .min(1, "must not be empty")
    .describe("The id of one of the alias's voices, from `GET /v1/audio/voices`."),
  response_format: oneOf(speechFormats).describe("The form of the audio, of those of the alias."),
  speed: numberFrom(0.25, 4).describe("1 is the voice's own speed."),
});

export const speechOperation = repeatedOperation({
  id: "createSpeech",
  tag: "Audio",
  summary: "Turn text into speech",
  about:
    "Audio comes in chunks, as the provider makes it; the first may take long, since some " +
    "providers make all of it before they send any. A transfer that breaks off is not billed.",
  body: {
    kind: "json",
    name: "SpeechRequest",
    schemas: [schema],
    example: { model: "demo-speech", input: "Hello there.", voice: "alto" },
  },
  answer: {
    about: "The audio. Its type is the provider's, else `audio/mpeg`.",
    content: { "audio/*": { schema: z.unknown().meta({ type: "string", format: "binary" }) } },
  },
});
