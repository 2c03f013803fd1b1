import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import { SlotFailure } from "./failure.ts";

/** The largest single event, in characters. */
const maxEventCharacters = 16 * 1024 * 1024;

/** A server-sent event. */
export interface ServerSentEvent {
  data: string;
  /** Its name; undefined where it has none. */
  event?: string | undefined;
}

/** A parser of a provider's server-sent events. */
export interface EventReader {
  /** Returns the events that end within these bytes. Throws a SlotFailure for one that is too large. */
  read(chunk: Buffer): readonly ServerSentEvent[];
  /** Returns the event that the stream ends with, where no blank line follows it. */
  end(): readonly ServerSentEvent[];
}

/** Creates a parser. Values of JSON on several lines of one event are events of their own. */
export function createEventReader(): EventReader {
  const decoder = new StringDecoder("utf8");
  let events: ServerSentEvent[] = [];
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent(event) {
      if (event.data.includes("\n")) events.push(...separate(event));
      else events.push(event);
    },
    onError(cause) {
      if (cause.type !== "max-buffer-size-exceeded") return;
      throw new SlotFailure("oversized", "an event is too large", { cause });
    },
  });
  const feed = (text: string) => {
    events = [];
    parser.feed(text);
    return events;
  };
  return {
    read: (chunk) => feed(decoder.write(chunk)),
    end: () => feed(`${decoder.end()}\n\n`),
  };
}

/**
 * Some providers leave out the blank lines between events, which makes one event of all. Others write JSON on
 * several lines: it gets one, because events are sent on as they were read.
 */
function separate({ data, event }: ServerSentEvent): ServerSentEvent[] {
  if (isJson(data)) return [{ data: onOneLine(data), event }];
  const lines = data.split("\n").filter((line) => line.trim() !== "");
  if (!lines.every((line) => line === "[DONE]" || isJson(line))) return [{ data, event }];
  return lines.map((line) => ({ data: line, event }));
}

/** Texts in JSON have no line breaks. */
function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, " ");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
