import { toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type UsageEvent, UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";

/** A usage event as it is kept on disk and goes to the broker. */
export interface EncodedEvent {
  id: string;
  bytes: Uint8Array;
}

export function encodeEvent(event: UsageEvent): EncodedEvent {
  return { id: event.id, bytes: toBinary(UsageEventSchema, event) };
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
