import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CompleteRequestSchema,
  CompleteResponseSchema,
  StreamResponseSchema,
} from "@tollgate/proto/tollgate/v1/chat";
import { RequestFrameSchema, ResponseFrameSchema } from "@tollgate/proto/tollgate/v1/mux";
import { expect, test } from "vitest";
import { encodeMessage, inOnePart } from "./encoded-message.ts";

const large = Buffer.alloc(100_000, "0123456789");

test("large bytes are sent as they are, and decode to the same message", () => {
  const request = create(CompleteRequestSchema, {
    call: {
      caller: { requestId: "req_1", accountId: "acct_1" },
      alias: "main",
      body: Buffer.alloc(70_000, "body"),
      choices: 2,
      messages: [large],
      maxTokens: 7n,
      prompt: { textBytes: 99_000n, firstImageParam: "messages.0" },
      sessionId: "session",
    },
  });
  const encoded = encodeMessage(CompleteRequestSchema, request);
  expect(encoded.parts).toContain(large);
  const bytes = inOnePart(encoded);
  expect(bytes).toHaveLength(encoded.byteLength);
  const decoded = fromBinary(CompleteRequestSchema, bytes);
  expect(toBinary(CompleteRequestSchema, decoded)).toEqual(
    toBinary(CompleteRequestSchema, request),
  );
  expect(request.call?.messages).toEqual([large]);
});

test("a message without large bytes is one part", () => {
  const response = create(CompleteResponseSchema, { body: Buffer.from("{}"), totalTokens: 3n });
  const { parts } = encodeMessage(CompleteResponseSchema, response);
  expect(parts).toEqual([toBinary(CompleteResponseSchema, response)]);
});

test("optional bytes, and messages with lists or oneofs, keep what they hold", () => {
  const frame = create(ResponseFrameSchema, { call: 9, payload: large, end: {} });
  const response = create(StreamResponseSchema, { chunks: [large, Buffer.from("b")] });
  const request = create(RequestFrameSchema, {
    body: { case: "open", value: { method: "m" } },
    payload: large,
  });
  for (const [schema, message] of [
    [ResponseFrameSchema, frame],
    [StreamResponseSchema, response],
    [RequestFrameSchema, request],
  ] as const) {
    const bytes = inOnePart(encodeMessage(schema, message));
    expect(toBinary(schema, fromBinary(schema, bytes) as never)).toEqual(
      toBinary(schema, message as never),
    );
  }
});

test("a list keeps its order where some of its items are large", () => {
  const pieces = [Buffer.from("["), large, Buffer.from(""), Buffer.from("]"), large];
  const request = create(CompleteRequestSchema, { call: { messages: pieces, alias: "main" } });
  const encoded = encodeMessage(CompleteRequestSchema, request);
  expect(encoded.parts.filter((part) => part === large)).toHaveLength(2);
  const { call } = fromBinary(CompleteRequestSchema, inOnePart(encoded));
  expect(call?.messages.map((piece) => Buffer.from(piece))).toEqual(pieces);
  expect(call?.alias).toBe("main");
});
