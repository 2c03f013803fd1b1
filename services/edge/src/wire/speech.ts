import { speechFormats } from "@tollgate/kit/catalog/model";
import { codePoints } from "@tollgate/kit/code-points";
import type { Client } from "@tollgate/kit/rpc/implementation";
import type { AudioService } from "@tollgate/proto/tollgate/v1/audio";
import { z } from "zod";
import type { BillableRoute } from "../billable.ts";
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
  input: text.min(1, "must not be empty"),
  voice: text.min(1, "must not be empty"),
  response_format: oneOf(speechFormats),
  speed: numberFrom(0.25, 4),
});
