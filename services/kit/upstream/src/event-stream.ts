import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import { SlotFailure } from "./failure.ts";

/** The largest single event, in characters. */
const maxEventCharacters = 16 * 1024 * 1024;

/** A parser of a provider's server-sent events. */
export interface EventReader {
  /**
   * Returns the `data` of the events that end within these bytes. Throws a SlotFailure for an event
   * that is too large.
   */
  read(chunk: Buffer): readonly string[];
}

export function createEventReader(): EventReader {
  const decoder = new StringDecoder("utf8");
  let events: string[] = [];
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ data }) => events.push(data),
    onError(cause) {
      if (cause.type !== "max-buffer-size-exceeded") return;
      throw new SlotFailure("oversized", "an event is too large", { cause });
    },
  });
  return {
    read(chunk) {
      events = [];
      parser.feed(decoder.write(chunk));
      return events;
    },
  };
}
