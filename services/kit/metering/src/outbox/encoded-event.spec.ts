import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { expect, test } from "vitest";
import { decodeEvents, type EncodedEvent, encodeEvents, joinEvents } from "./encoded-event.ts";

const event = (fields: MessageInitShape<typeof UsageEventSchema>) =>
  create(UsageEventSchema, { alias: "naïve", costNanoUsd: 5_000n, ...fields });

test("each event is encoded as a batch of its own", () => {
  const events = ["a", "b", "c"].map((id) => event({ id, alias: id.repeat(200) }));
  const encoded = encodeEvents(events);
  expect(encoded.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(encoded.map(({ bytes }) => decodeEvents(bytes))).toEqual(events.map((one) => [one]));
  expect(encodeEvents([])).toEqual([]);
});

test("joined events are decoded as one batch, in their order", () => {
  const events = ["a", "b", "c"].map((id) => event({ id, reportedNanoUsd: 0n }));
  expect(decodeEvents(joinEvents(encodeEvents(events)))).toEqual(events);
});

test("a single event is joined without a copy", () => {
  const [encoded] = encodeEvents([event({ id: "a" })]) as [EncodedEvent];
  expect(joinEvents([encoded])).toBe(encoded.bytes);
});
