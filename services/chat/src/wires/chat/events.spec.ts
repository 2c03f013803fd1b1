import { vendors } from "@tollgate/providers";
import { readUsageBlock } from "@tollgate/providers/openai/usage";
import { expect, test } from "vitest";
import { countedUsage } from "../../usage/usage.ts";
import { ChatEvents } from "./events.ts";

const context = {
  alias: "fast",
  id: "0",
  created: 9,
  client: { json: {}, mayHave: () => true, mayHaveLonger: () => false },
  promptCharacters: 0n,
  sessionId: "",
  kind: vendors.openai,
  readUsageBlock,
};
const usage = countedUsage(0n, 0n);

function forwarded(data: string, events = new ChatEvents(context)): string {
  const chunk = events.read(data);
  return chunk === undefined ? "" : dataOf(events.deliver(chunk));
}

function dataOf(event: Uint8Array | undefined): string {
  return /^data: (.*)\n\n$/s.exec(Buffer.from(event ?? []).toString())?.[1] ?? "";
}

const head = '"id":"c-1","object":"chat.completion.chunk","created":17';
const choices = '"choices":[{"index":0,"delta":{"content":"say \\"model\\":\\"x\\""}}]';

test("a chunk is sent as the provider wrote it, under our alias", () => {
  const data = `{${head},"model":"big-1",${choices},"rate":1.50}`;
  expect(forwarded(data)).toBe(`{${head},"model":"fast",${choices},"rate":1.50}`);
  expect(forwarded(`{${head},"model":"big-1",${choices},"usage":null}`)).toBe(
    `{${head},"model":"fast",${choices}}`,
  );
});

test.each([
  ["has its usage elsewhere", `{"model":"big","usage":null,${head},${choices}}`],
  ["reports usage", `{"model":"big",${head},${choices},"usage":{"prompt_tokens":1}}`],
  ["reports a cost", `{"model":"big",${head},${choices},"cost":0.1}`],
  ["names a session of the provider", `{"model":"big",${head},${choices},"session_id":"s"}`],
  ["has a session that is null", `{"model":"big",${head},${choices},"session_id":null}`],
  ["has blanks", `{ "model": "big",\n ${head},\n ${choices},\n "usage": null }`],
  ["names its model last", `{${head},${choices},"model":"big"}`],
  ["has no model", `{${head},${choices}}`],
  ["has an escaped model name", `{"model":"b\\u0069g",${head},${choices}}`],
  ["has two different models", `{"model":"big",${head},${choices},"model":"other"}`],
  ["has the same model twice", `{"model":"big",${head},${choices},"model":"big"}`],
  ["has a null usage twice", `{"model":"big","usage":null,${head},${choices},"usage":null}`],
  ["has the model of a nested object first", `{"x":{"model":"big"},${head},${choices}}`],
  ["has a string like a member", `{"x":"\\",\\"model\\":\\"big",${head},${choices}}`],
])("a chunk that %s is serialized again", (_, data) => {
  const { usage, cost, session_id, ...rest } = JSON.parse(data);
  const text = forwarded(data);
  expect(JSON.parse(text)).toEqual({ ...rest, model: "fast" });
  expect(text).not.toContain("\n");
});

test.each([
  ["no id", `"object":"chat.completion.chunk","created":17`, { id: "chatcmpl-0", created: 17 }],
  ["no created", `"id":"c-1","object":"chat.completion.chunk"`, { id: "c-1", created: 9 }],
  ["no object", `"id":"c-1","created":17`, { id: "c-1", created: 17 }],
  ["another object", `"id":"c-1","object":"x","created":17`, { id: "c-1", created: 17 }],
  ["none of them", `"x":1`, { id: "chatcmpl-0", created: 9 }],
])("a chunk with %s gets our values", (_, members, expected) => {
  const text = forwarded(`{${members},"model":"big",${choices}}`);
  expect(JSON.parse(text)).toMatchObject({ ...expected, object: "chat.completion.chunk" });
});

test("all chunks of a stream have the identity of the first one that is sent", () => {
  const events = new ChatEvents({ ...context, sessionId: "s" });
  expect(forwarded(`{"id":"","created":0,"choices":[]}`, events)).toBe("");
  const first = forwarded(`{"created":17,"model":"big",${choices}}`, events);
  const second = forwarded(`{"id":"c-2","created":18,"model":"big",${choices}}`, events);
  const last = dataOf(events.end(usage, 0n));
  for (const text of [first, second, last]) {
    expect(JSON.parse(text)).toMatchObject({
      id: "chatcmpl-0",
      object: "chat.completion.chunk",
      created: 17,
      model: "fast",
    });
  }
});

test("a chunk of a conversation contains its session id", () => {
  const text = forwarded(
    `{"model":"big",${choices}}`,
    new ChatEvents({ ...context, sessionId: "s" }),
  );
  expect(JSON.parse(text)).toMatchObject({ model: "fast", session_id: "s" });
});

test("a chunk without choices is not sent, and its usage is read", () => {
  const data = '{"model":"big","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}';
  expect(forwarded(data)).toBe("");
  expect(new ChatEvents(context).read(data)?.usage).toMatchObject({
    promptTokens: 3n,
    completionTokens: 4n,
  });
});

test("a stream ends with its usage and [DONE]; in a conversation, without [DONE]", () => {
  const ended = (sessionId: string) =>
    String(new ChatEvents({ ...context, sessionId }).end(usage, 1_000n));
  expect(ended("")).toMatch(
    /^data: {.*"choices":\[\],"usage":{.*"cost":0.000001}}\n\ndata: \[DONE\]\n\n$/,
  );
  expect(ended("s")).toMatch(/^data: {.*"choices":\[\],"usage":{.*}}\n\n$/);
});

test("a stream that is cut says so, and so does the turn of its conversation", () => {
  const events = new ChatEvents({ ...context, sessionId: "s" });
  forwarded(`{${head},"model":"big","choices":[{"index":0,"delta":{"content":"Hi"}}]}`, events);
  const cut = [{ index: 0, delta: {}, finish_reason: "length" }];
  const { session_id, ...sent } = JSON.parse(dataOf(events.cut(cut)));
  expect(sent).toEqual({ ...JSON.parse(`{${head}}`), model: "fast", choices: cut });
  expect(events.generated()).toEqual({
    id: "c-1",
    created: 17,
    message: { role: "assistant", content: "Hi" },
    finishReason: "length",
  });
});

test.each([
  "",
  "[1]",
  '{"choices":[1]}',
  "ping",
  "{}",
  '{"type":"ping"}',
  '{"choices":{}}',
  '{"choices":null}',
])("%j says nothing", (data) => {
  expect(new ChatEvents(context).read(data)).toBeUndefined();
});

test.each([
  ['{"error":{}}', "trouble"],
  ['{"choices":[],"error":{"message":"gone"}}', "trouble"],
  [
    `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":429}}`,
    "rate",
  ],
  ['{"error":{"message":"No credits.","type":"insufficient_quota"}}', "key_or_bill"],
  ['[{"error":{"message":"Slow down.","code":429}}]', "rate"],
  ['{"object":"error","message":"Slow down.","type":"TooManyRequests","code":429}', "rate"],
  ['{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}', "trouble"],
  ['{"choices":[{"index":0,"delta":{},"error":{"code":429}}]}', "rate"],
  ['{"id":"c-1","choi', "trouble"],
])("an event that reports an error says what the failure means: %s", (data, meaning) => {
  expect(() => new ChatEvents(context).read(data)).toThrow(expect.objectContaining({ meaning }));
});
