import { expect, test } from "vitest";
import { readChunk } from "./chunk.ts";

const own = { model: "fast" };

function forwarded(data: string, members: Parameters<typeof readChunk>[1] = own): string {
  return Buffer.from(readChunk(data, members)?.forward ?? []).toString();
}

const choices = '"choices":[{"index":0,"delta":{"content":"say \\"model\\":\\"x\\""}}]';

test("a chunk goes on in the provider's own text, under our alias", () => {
  const data = `{"id":"c-1","created":17,"model":"big-1",${choices},"rate":1.50}`;
  expect(forwarded(data)).toBe(`{"id":"c-1","created":17,"model":"fast",${choices},"rate":1.50}`);
  expect(forwarded(`{"id":"c-1","model":"big-1",${choices},"usage":null}`)).toBe(
    `{"id":"c-1","model":"fast",${choices}}`,
  );
});

test.each([
  ["has its usage elsewhere", `{"model":"big","usage":null,"id":"c",${choices}}`],
  ["reports usage", `{"model":"big","id":"c",${choices},"usage":{"prompt_tokens":1}}`],
  ["reports a cost", `{"model":"big","id":"c",${choices},"cost":0.1}`],
  ["has blanks", `{ "model": "big",\n "id": "c",\n ${choices},\n "usage": null }`],
  ["names its model last", `{"id":"c",${choices},"model":"big"}`],
  ["names no model", `{"id":"c",${choices}}`],
  ["names a model that is escaped", `{"model":"b\\u0069g","id":"c",${choices}}`],
  ["names its model twice", `{"model":"big","id":"c",${choices},"model":"other"}`],
  ["names its model twice alike", `{"model":"big","id":"c",${choices},"model":"big"}`],
  ["has no usage twice", `{"model":"big","usage":null,"id":"c",${choices},"usage":null}`],
  ["has a model of another object", `{"x":{"model":"big"},"id":"c",${choices}}`],
  ["has a string like a member", `{"x":"\\",\\"model\\":\\"big","id":"c",${choices}}`],
])("a chunk that %s is written anew", (_, data) => {
  const { usage, cost, ...rest } = JSON.parse(data);
  const text = forwarded(data);
  expect(JSON.parse(text)).toEqual({ ...rest, model: "fast" });
  expect(text).not.toContain("\n");
});

test("a chunk of a conversation names it", () => {
  const text = forwarded(`{"model":"big",${choices}}`, { ...own, session_id: "s" });
  expect(JSON.parse(text)).toMatchObject({ model: "fast", session_id: "s" });
});

test("a chunk without choices is not sent on, and tells its usage", () => {
  const data = '{"model":"big","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}';
  expect(readChunk(data, own)).toMatchObject({
    forward: undefined,
    usage: { promptTokens: 3n, completionTokens: 4n },
  });
});

test.each([
  "",
  "[1]",
  '{"error":{}}',
  '{"choices":[1]}',
  '{"choices":{}}',
])("%j is no chunk", (data) => {
  expect(readChunk(data, own)).toBeUndefined();
});
