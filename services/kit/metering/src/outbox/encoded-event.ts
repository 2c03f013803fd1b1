import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { RecordUsageRequestSchema } from "@tollgate/proto/tollgate/v1/ledger";
import { type UsageEvent, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";

/** A usage event as it is written to disk and sent to the broker. */
export interface EncodedEvent {
  id: string;
  bytes: Uint8Array;
}

/** Encodes events into one buffer: to allocate one for each takes longer than to encode it. */
export function encodeEvents(events: readonly UsageEvent[]): EncodedEvent[] {
  const request = create(RecordUsageRequestSchema, { events: [...events] });
  const reader = new BinaryReader(toBinary(RecordUsageRequestSchema, request));
  return events.map(({ id }) => {
    reader.tag();
    return { id, bytes: reader.bytes() };
  });
}

/** The first event with the others as its companions: they are a message's fields as they are. */
export function joinEvents(first: EncodedEvent, companions: readonly EncodedEvent[]): Uint8Array {
  if (companions.length === 0) return first.bytes;
  const writer = new BinaryWriter().raw(first.bytes);
  for (const { bytes } of companions) {
    writer.tag(UsageEventSchema.field.companions.number, WireType.LengthDelimited).bytes(bytes);
  }
  return writer.finish();
}
