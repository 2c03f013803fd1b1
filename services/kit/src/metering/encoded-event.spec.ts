import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { expect, test } from "vitest";
import { encodeEvent, joinEvents } from "./encoded-event.ts";

const event = (fields: MessageInitShape<typeof UsageEventSchema>) =>
  create(UsageEventSchema, { alias: "naïve", costNanoUsd: 5_000n, ...fields });

test("events that are joined are read as the first with its companions", () => {
  const [first, ...companions] = ["a", "b", "c"].map((id) => event({ id, reportedNanoUsd: 0n }));
  if (first === undefined) throw new Error("there is a first");
  const joined = joinEvents(encodeEvent(first), companions.map(encodeEvent));
  expect(fromBinary(UsageEventSchema, joined)).toEqual(event({ ...first, companions }));
});

test("one that goes alone is what is kept of it", () => {
  const encoded = encodeEvent(event({ id: "a" }));
  expect(joinEvents(encoded, [])).toBe(encoded.bytes);
});
