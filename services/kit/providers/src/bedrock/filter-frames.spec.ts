import type { JsonObject } from "@tollgate/core/json";
import { SlotFailure } from "@tollgate/upstream/failure";
import { reportedFailure } from "@tollgate/upstream/refusal";
import { expect, test } from "vitest";
import { encodeEvent, encodeException } from "../../test/event-frames.ts";
import { EventFilter } from "../ai-sdk/response-shape.ts";
import { bedrockRefusals } from "./errors.ts";
import { readFrame } from "./event-frame.ts";
import { filterFrames } from "./filter-frames.ts";
import { bedrockShape } from "./response-shape.ts";

const maxBytes = 300;

async function read(chunks: readonly Buffer[]): Promise<[string | undefined, unknown][]> {
  const filter = new EventFilter(bedrockShape, (body: JsonObject, status) =>
    reportedFailure(body, status, bedrockRefusals),
  );
  const body = (async function* () {
    yield* chunks;
  })();
  const events: [string | undefined, unknown][] = [];
  for await (const bytes of filterFrames(body, filter, maxBytes)) {
    for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
      const { headers, payload } = readFrame(bytes.subarray(at, at + bytes.readUInt32BE(at)));
      events.push([headers.get(":event-type"), JSON.parse(payload)]);
    }
  }
  return events;
}

const text = (given: string) => ({ contentBlockIndex: 1, delta: { text: given } });
const two = Buffer.concat([
  encodeEvent("contentBlockDelta", { ...text("Grüße 東京"), p: "abc" }),
  encodeEvent("newEvent", { a: 1 }),
  encodeEvent("messageStop", { stopReason: "end_turn", trace: {} }),
]);
const known = [
  ["contentBlockDelta", text("Grüße 東京")],
  ["messageStop", { stopReason: "end_turn" }],
];

test("what is read of events is passed on, however they are divided", async () => {
  expect(await read([two])).toEqual(known);
  expect(await read([...two].map((byte) => Buffer.from([byte])))).toEqual(known);
  expect(await read([two.subarray(0, 118), two.subarray(118)])).toEqual(known);
});

function withByte(at: number): Buffer {
  const changed = Buffer.from(two);
  changed[at] = 7;
  return changed;
}

test.each([
  [
    "is larger than the limit",
    [encodeEvent("contentBlockDelta", text("a".repeat(300)))],
    "oversized",
  ],
  ["has a length that no event has", [Buffer.from([0, 0, 0, 15, 0])], "rejected"],
  ["has a wrong checksum of its lengths", [withByte(9)], "rejected"],
  ["has a wrong checksum", [withByte(40)], "rejected"],
  ["is not complete", [two.subarray(0, 60)], "rejected"],
  ["is not even begun", [Buffer.concat([two, Buffer.from([0])])], "rejected"],
])("an event that %s is a failure", async (_, chunks, kind) => {
  const failure = await read(chunks).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SlotFailure);
  expect(failure).toMatchObject({ kind });
});

test.each([
  ["validationException", { status: 400, meaning: "bad_request", hint: "No" }],
  ["serviceQuotaExceededException", { status: 400, meaning: "too_large", hint: "No" }],
  ["throttlingException", { status: 429, meaning: "rate" }],
  ["modelTimeoutException", { status: 408, meaning: "trouble" }],
  ["exceptionOfTomorrow", { status: undefined, meaning: "trouble" }],
])("a %s is the refusal that it would be by HTTP", async (name, refusal) => {
  const failure = await read([encodeException(name, "No")]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SlotFailure);
  expect(failure).toMatchObject(refusal);
});
