import type { Readable } from "node:stream";
import { createParser } from "eventsource-parser";
import { SlotFailure } from "./failure.ts";
import { transportFailure } from "./provider-client.ts";

/** The largest single event, in characters. */
const maxEventCharacters = 16 * 1024 * 1024;

/**
 * The `data` of a provider's server-sent events. What arrived in one read comes in one array, so
 * that it can travel on together. Raises a SlotFailure when the connection breaks, and the
 * signal's reason when it aborts. Leaving the loop closes the connection.
 */
export async function* readEvents(body: Readable, signal: AbortSignal): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let events: string[] = [];
  let failure: SlotFailure | undefined;
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: (event) => events.push(event.data),
    onError: (cause) => {
      if (cause.type !== "max-buffer-size-exceeded") return;
      failure = new SlotFailure("oversized", "an event is too large", { cause });
    },
  });
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      parser.feed(decoder.decode(part, { stream: true }));
      if (failure !== undefined) throw failure;
      if (events.length === 0) continue;
      yield events;
      events = [];
    }
  } catch (error) {
    throw transportFailure(error, signal);
  }
}
