import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { type UsageEvent, UsageEventBatchSchema } from "@tollgate/proto/tollgate/v1/usage";

/** A usage event as it is written to disk and sent to the broker. */
export interface EncodedEvent {
  id: string;
  /** A UsageEventBatch of this event alone. */
  bytes: Uint8Array;
}

/** Encodes events into one buffer: to allocate one for each takes longer than to encode it. */
export function encodeEvents(events: readonly UsageEvent[]): EncodedEvent[] {
  const batch = create(UsageEventBatchSchema, { events: [...events] });
  const bytes = toBinary(UsageEventBatchSchema, batch);
  const reader = new BinaryReader(bytes);
  return events.map(({ id }) => {
    const start = reader.pos;
    reader.skip(reader.tag()[1]);
    return { id, bytes: bytes.subarray(start, reader.pos) };
  });
}

/**
 * Returns the encoding of one UsageEventBatch of all events. That of a single event is its own
 * bytes, without a copy.
 */
export function joinEvents(events: readonly EncodedEvent[]): Uint8Array {
  const [first] = events;
  if (first !== undefined && events.length === 1) return first.bytes;
  return Buffer.concat(events.map(({ bytes }) => bytes));
}

/** Returns the events that an encoded UsageEventBatch contains. Throws if it is not one. */
export function decodeEvents(bytes: Uint8Array): UsageEvent[] {
  return fromBinary(UsageEventBatchSchema, bytes).events;
}
