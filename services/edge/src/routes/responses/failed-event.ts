import type { GatewayError } from "@tollgate/core/errors";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import type { ErrorEvent } from "../../billable/wire-handler.ts";

/**
 * Creates what writes the `response.failed` event of a stream. It has the response as the stream's
 * first event has it, and the number after the last event's.
 */
export function createFailedEvent(): ErrorEvent {
  let first: Uint8Array | undefined;
  let last: Uint8Array | undefined;
  return {
    see(chunk) {
      first ??= chunk;
      last = chunk;
    },
    write({ code, message }: GatewayError) {
      const started = first === undefined ? {} : (eventsIn(first)[0]?.response ?? {});
      const number = last === undefined ? -1 : Number(eventsIn(last).at(-1)?.sequence_number ?? 0);
      const ended = { status: "failed", error: { code, message } };
      const response = { ...(isJsonObject(started) ? started : {}), ...ended };
      const event = { type: "response.failed", sequence_number: number + 1, response };
      return `event: response.failed\ndata: ${JSON.stringify(event)}\n\n`;
    },
  };
}

/** Returns the data of the events in a chunk of a stream. */
function eventsIn(chunk: Uint8Array): JsonObject[] {
  const data = Buffer.from(chunk)
    .toString("utf8")
    .matchAll(/^data: (.*)$/gm);
  return [...data].flatMap(([, text = ""]) => {
    const event: unknown = JSON.parse(text);
    return isJsonObject(event) ? [event] : [];
  });
}
