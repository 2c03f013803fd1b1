import { createEventReader, type ServerSentEvent } from "@tollgate/upstream/event-stream";
import type { EventFilter } from "./response-shape.ts";

/** Yields what is read of the events of a stream, without comments and heartbeats, as events. */
export async function* filterEvents(
  body: AsyncIterable<Buffer>,
  filter: EventFilter,
): AsyncGenerator<Buffer> {
  const reader = createEventReader();
  try {
    for await (const chunk of body) {
      const known = readAll(reader.read(chunk), filter);
      if (known !== "") yield Buffer.from(known);
    }
    const last = readAll(reader.end(), filter);
    if (last !== "") yield Buffer.from(last);
  } catch (error) {
    yield* endOf(filter);
    throw error;
  }
  yield* endOf(filter);
}

function* endOf(filter: EventFilter): Generator<Buffer> {
  const end = filter.readEnd();
  if (end !== undefined) yield Buffer.from(`data: ${JSON.stringify(end)}\n\n`);
}

function readAll(events: readonly ServerSentEvent[], filter: EventFilter): string {
  let known = "";
  for (const { data } of events) {
    const event = data.trim() === "[DONE]" ? filter.readDone() : readData(data, filter);
    if (event !== undefined) known += `data: ${JSON.stringify(event)}\n\n`;
  }
  return known;
}

/** Text that is not an object is a heartbeat. An object that is cut off is not: the package refuses it. */
function readData(data: string, filter: EventFilter): unknown {
  if (!data.trimStart().startsWith("{")) return undefined;
  try {
    return filter.read(JSON.parse(data));
  } catch {
    return filter.isFinished ? undefined : data;
  }
}
