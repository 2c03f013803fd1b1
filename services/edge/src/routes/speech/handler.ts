import { codePoints } from "@tollgate/core/code-points";
import { billableHandler } from "../../billable/billable-handler.ts";
import type { KeyedHandler } from "../../http/handler.ts";
import { validate, withoutNulls } from "../../validation/validate.ts";
import type { RouteDependencies } from "../dependencies.ts";
import type { HandlerRules } from "../route-rules.ts";
import { speechSchema } from "./schema.ts";

/** POST /v1/audio/speech. The audio is streamed. A retry runs again, also with a key. */
export function createSpeech(dependencies: RouteDependencies, rules: HandlerRules): KeyedHandler {
  const { services, maxResponseMs: timeoutMs } = dependencies;
  return billableHandler(dependencies, rules, {
    parse(body) {
      const { model, ...members } = validate(speechSchema, withoutNulls(speechSchema, body));
      return async (caller, options) => {
        const messages = services.audio.speak(
          {
            caller,
            alias: model,
            body: Buffer.from(JSON.stringify(members)),
            characters: codePoints(members.input),
            format: members.response_format ?? "",
          },
          { ...options, timeoutMs },
        );
        const iterator = messages[Symbol.asyncIterator]();
        const first = await iterator.next();
        const contentType = first.done ? "audio/mpeg" : first.value.contentType;
        return { contentType, chunks: audioOf(iterator) };
      };
    },
  });
}

async function* audioOf(
  messages: AsyncIterator<{ audio: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = await messages.next(); !next.done; next = await messages.next()) {
      yield next.value.audio;
    }
  } finally {
    await messages.return?.();
  }
}
