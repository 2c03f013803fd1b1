import { expect, test } from "vitest";
import { createEventReader } from "./event-stream.ts";

test("events are read the same in any chunks", () => {
  const bytes = Buffer.from(': hello\n\ndata: {"a":"Grüße 東京"}\n\nevent: x\r\ndata: 2\r\n\r\n');
  for (let at = 0; at <= bytes.length; at += 1) {
    const reader = createEventReader();
    const events = [...reader.read(bytes.subarray(0, at)), ...reader.read(bytes.subarray(at))];
    expect(events).toEqual(['{"a":"Grüße 東京"}', "2"]);
  }
});

test("a read returns all events that end in its chunk, each once", () => {
  const reader = createEventReader();
  expect(reader.read(Buffer.from("data: 1\n\ndata: 2\n\ndata: 3"))).toEqual(["1", "2"]);
  expect(reader.read(Buffer.from("\n\n"))).toEqual(["3"]);
  expect(reader.read(Buffer.from("\n"))).toEqual([]);
});

test("an event that is too large is refused", () => {
  const reader = createEventReader();
  const chunk = Buffer.alloc(1024 * 1024, "a");
  reader.read(Buffer.from("data: "));
  const readMuch = () => {
    for (let count = 0; count < 20; count += 1) reader.read(chunk);
  };
  expect(readMuch).toThrow(expect.objectContaining({ kind: "oversized" }));
});
