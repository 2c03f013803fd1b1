import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { expect, test } from "vitest";
import { type EncodedEvent, encodeEvents, joinEvents } from "./encoded-event.ts";

const event = (fields: MessageInitShape<typeof UsageEventSchema>) =>
  create(UsageEventSchema, { alias: "naïve", costNanoUsd: 5_000n, ...fields });

test("each event is encoded as if it were alone", () => {
  const events = ["a", "b", "c"].map((id) => event({ id, alias: id.repeat(200) }));
  const encoded = encodeEvents(events);
  expect(encoded.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(encoded.map(({ bytes }) => fromBinary(UsageEventSchema, bytes))).toEqual(events);
  expect(encodeEvents([])).toEqual([]);
});

test("events that are joined are read as the first with its companions", () => {
  const events = ["a", "b", "c"].map((id) => event({ id, reportedNanoUsd: 0n }));
  const [first, ...companions] = encodeEvents(events) as [EncodedEvent, ...EncodedEvent[]];
  const joined = fromBinary(UsageEventSchema, joinEvents(first, companions));
  const [head, ...others] = events;
  expect(joined).toEqual({ ...head, companions: others });
});

test("one that goes alone is what is kept of it", () => {
  const [encoded] = encodeEvents([event({ id: "a" })]) as [EncodedEvent];
  expect(joinEvents(encoded, [])).toBe(encoded.bytes);
});
