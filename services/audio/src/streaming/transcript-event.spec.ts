import { isJsonObject } from "@tollgate/core/json";
import { expect, test } from "vitest";
import { readTranscriptEvent } from "./transcript-event.ts";

function read(times: string) {
  const value: unknown = JSON.parse(`{"type":"transcription.final","text":"a",${times}}`);
  return isJsonObject(value) ? readTranscriptEvent(value) : undefined;
}

test("the times and the duration of a final event are passed on", () => {
  const event = { type: "transcription.final", text: "a", start: 0, end: 1.5, duration: 1.5 };
  expect(read('"start":0,"end":1.5,"duration":1.5')).toEqual(event);
});

test.each([
  "1e999",
  "-1e999",
  "-1",
  "null",
  '"2 s"',
])("a time or a duration of %s counts as not reported", (time) => {
  const event = read(`"start":${time},"end":${time},"duration":${time}`);
  expect(event).toEqual({ type: "transcription.final", text: "a" });
});

test("a duration may be text, and a speaker may be a number", () => {
  expect(read('"duration":"2.5","speaker":1')).toMatchObject({ duration: 2.5, speaker: "1" });
});

test("a duration longer than any call counts as not reported", () => {
  expect(read('"duration":1000001')).not.toHaveProperty("duration");
});
