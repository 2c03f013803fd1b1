import { setImmediate as nextTurn } from "node:timers/promises";
import { fromBinary } from "@bufbuild/protobuf";
import { MuxResponseSchema, ResponseFrameSchema } from "@tollgate/proto/tollgate/v1/mux";
import { expect, test } from "vitest";
import { createFrameBatch } from "./frame-batch.ts";

function setUp() {
  const sent: { call: number; bytes: number | undefined }[][] = [];
  const batch = createFrameBatch(ResponseFrameSchema, (encoded) => {
    const { frames } = fromBinary(MuxResponseSchema, encoded);
    sent.push(frames.map(({ call, payload }) => ({ call, bytes: payload?.length })));
  });
  return { sent, batch };
}

function payloadOf(byteLength: number) {
  return { parts: [Buffer.alloc(byteLength)], byteLength };
}

test("frames of one turn of the event loop are sent together, later ones on their own", async () => {
  const { sent, batch } = setUp();
  batch.add({ call: 1 });
  await Promise.resolve();
  batch.add({ call: 2 }, payloadOf(300));
  expect(sent).toEqual([]);
  await nextTurn();
  batch.add({ call: 3 }, payloadOf(0));
  await nextTurn();
  expect(sent).toEqual([
    [
      { call: 1, bytes: undefined },
      { call: 2, bytes: 300 },
    ],
    [{ call: 3, bytes: 0 }],
  ]);
});

test("a large batch is sent at once, and no frame is sent twice", async () => {
  const { sent, batch } = setUp();
  batch.add({ call: 1 });
  batch.add({ call: 2 }, payloadOf(1024 * 1024));
  expect(sent).toHaveLength(1);
  batch.add({ call: 3 });
  batch.flush();
  await nextTurn();
  expect(sent).toEqual([
    [
      { call: 1, bytes: undefined },
      { call: 2, bytes: 1024 * 1024 },
    ],
    [{ call: 3, bytes: undefined }],
  ]);
});

test("the other fields of a frame arrive with its payload", async () => {
  const encoded = Promise.withResolvers<Buffer>();
  const batch = createFrameBatch(ResponseFrameSchema, encoded.resolve);
  const error = { code: "rate_limited", message: "Slow down." };
  const parts = [Buffer.from("pay"), Buffer.from("load")];
  batch.add({ call: 4_000_000_000, more: true, end: { error } }, { parts, byteLength: 7 });
  const { frames } = fromBinary(MuxResponseSchema, await encoded.promise);
  expect(frames).toMatchObject([{ call: 4_000_000_000, more: true, end: { error } }]);
  expect(Buffer.from(frames[0]?.payload ?? []).toString()).toBe("payload");
});
