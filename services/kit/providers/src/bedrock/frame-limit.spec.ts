import { SlotFailure } from "@tollgate/upstream/failure";
import { expect, test } from "vitest";
import { limitFrames } from "./frame-limit.ts";

async function read(chunks: readonly Buffer[]): Promise<Buffer> {
  const body = (async function* () {
    yield* chunks;
  })();
  const passed: Buffer[] = [];
  for await (const chunk of limitFrames(body, 100)) passed.push(chunk);
  return Buffer.concat(passed);
}

function frame(bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes, 0x0a);
  buffer.writeUInt32BE(bytes);
  return buffer;
}

const two = Buffer.concat([frame(16), frame(100)]);

test("events are passed on, however they are divided", async () => {
  expect(await read([two])).toEqual(two);
  expect(await read([...two].map((byte) => Buffer.from([byte])))).toEqual(two);
  expect(await read([two.subarray(0, 18), two.subarray(18)])).toEqual(two);
});

test.each([
  ["is larger than the limit", [frame(101)], "oversized"],
  ["has a length that no event has", [frame(15)], "rejected"],
  ["is not complete", [two.subarray(0, 60)], "rejected"],
  ["is not even begun", [two.subarray(0, 18)], "rejected"],
])("an event that %s is a failure", async (_, chunks, kind) => {
  const failure = await read(chunks).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SlotFailure);
  expect(failure).toMatchObject({ kind });
});
