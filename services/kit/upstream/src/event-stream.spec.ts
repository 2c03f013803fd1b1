import { expect, test } from "vitest";
import { createEventReader, type ServerSentEvent } from "./event-stream.ts";

const dataOf = (events: readonly ServerSentEvent[]) => events.map(({ data }) => data);

test("events are read the same in any chunks", () => {
  const bytes = Buffer.from(': hello\n\ndata: {"a":"Grüße 東京"}\n\nevent: x\r\ndata: 2\r\n\r\n');
  for (let at = 0; at <= bytes.length; at += 1) {
    const reader = createEventReader();
    const events = [...reader.read(bytes.subarray(0, at)), ...reader.read(bytes.subarray(at))];
    expect(dataOf(events)).toEqual(['{"a":"Grüße 東京"}', "2"]);
  }
});

test("a read returns all events that end in its chunk, each once", () => {
  const reader = createEventReader();
  expect(dataOf(reader.read(Buffer.from("data: 1\n\ndata: 2\n\ndata: 3")))).toEqual(["1", "2"]);
  expect(dataOf(reader.read(Buffer.from("\n\n")))).toEqual(["3"]);
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

test.each([
  ["CRLF", "\r\n\r\n", "\r\n\r\n"],
  ["CR", "\r\r", "\r\r"],
  ["no blank line at the end", "\n\n", ""],
  ["half a line end at the end", "\r\n\r\n", "\r"],
])("events are read with %s", (_, between, last) => {
  const reader = createEventReader();
  const bytes = Buffer.from(`\ufeffdata:{"a":1}${between}event: x\ndata: [DONE]${last}`);
  const events = [...reader.read(bytes), ...reader.end()];
  expect(events).toMatchObject([{ data: '{"a":1}' }, { data: "[DONE]", event: "x" }]);
});

test("values on several lines of one event are events, and one value is one", () => {
  const reader = createEventReader();
  const text = 'data: {"a":1}\ndata: {"b":2}\ndata: [DONE]\n\ndata: {"a":\ndata: 1}\n\n';
  const events = reader.read(Buffer.from(text));
  expect(dataOf(events)).toEqual(['{"a":1}', '{"b":2}', "[DONE]", '{"a": 1}']);
});
