import { expect, test } from "vitest";
import { RequestBody } from "../../http/request-body.ts";
import { parseChat } from "./parse-chat.ts";

function callOf(text: string) {
  return parseChat(JSON.parse(text), new RequestBody([Buffer.from(text)])).call;
}

function messagesOf(text: string): string {
  return Buffer.concat(callOf(text).messages).toString("utf8");
}

function othersOf(members: string): string {
  return Buffer.from(callOf(`{"model":"m","messages":${hello},${members}}`).body).toString("utf8");
}

const hello = '[{"role":"user","content":"Hello"}]';

test("messages are sent as the client wrote them", () => {
  const messages = '[ {"role":"user","content":"Hello","at":12345678901234567890} ]';
  expect(messagesOf(`{"model":"m","messages":${messages},"n":1}`)).toBe(messages);
});

test("ambiguous messages are serialized again", () => {
  const ambiguous = '[{"role":"system","role":"user","content":"Hello"}]';
  const parsed = '[{"role":"user","content":"Hello"}]';
  expect(messagesOf(`{"model":"m","messages":${ambiguous}}`)).toBe(parsed);
  expect(messagesOf(`{"model":"m","messages":[],"m\\u0065ssages":${ambiguous}}`)).toBe(parsed);
});

test("structured members are sent as the client wrote them, plain values are serialized again", () => {
  const schema = '{ "9":1, "1":2.0, "maximum":9223372036854775807 }';
  const tools = `[{"type":"function","function":{"name":"f","parameters":${schema}}}]`;
  expect(othersOf(`"tools" : ${tools} ,"top_k":5.0`)).toBe(`{"tools":${tools},"top_k":5}`);
});

test("a 64-bit seed keeps all its digits", () => {
  for (const seed of ["9007199254740993", "-9223372036854775808", "18446744073709551615"]) {
    expect(othersOf(`"seed":${seed}`)).toBe(`{"seed":${seed}}`);
  }
  for (const seed of ["1.5", "1e400", '"1"', "1e300", "-9223372036854777856"]) {
    const message = "seed must be an integer that fits in 64 bits.";
    expect(() => othersOf(`"seed":${seed}`)).toThrow(message);
  }
});

test("members that the gateway sets, and null, are not sent", () => {
  const gatewayMembers = '"stream":true,"stream_options":{"include_usage":true},"max_tokens":5';
  expect(othersOf(`${gatewayMembers},"user":null,"seed":7,"top_p":null`)).toBe('{"seed":7}');
  expect(othersOf(gatewayMembers)).toBe("{}");
});

test("ambiguous members are serialized again", () => {
  expect(othersOf('"metadata":{"a":1,"a":2.0},"seed":7')).toBe('{"metadata":{"a":2},"seed":7}');
  expect(othersOf('"seed":7,"s\\u0065ed":8')).toBe('{"seed":8}');
});

const asked = { role: "user", content: "Hi" };
const thinking = { role: "assistant", content: null, reasoning_content: "Hm." };
const calling = (text: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: text } }],
});

test.each<[string, object[], object[]]>([
  ["a turn of thinking alone", [asked, thinking, asked], [asked, asked]],
  ["a turn with nothing", [asked, { role: "assistant", content: null }, asked], [asked, asked]],
  [
    "a turn with audio alone",
    [asked, { role: "assistant", content: null, audio: { id: "a" } }, asked],
    [],
  ],
  [
    "such a turn with no calls",
    [asked, { ...thinking, tool_calls: [], reasoning: "Hm." }, asked],
    [asked, asked],
  ],
  ["thinking beside a text", [asked, { ...thinking, content: "" }], []],
  ["thinking beside a call", [asked, { ...thinking, ...calling("{}") }], []],
  ["empty arguments", [asked, calling("")], [asked, calling("{}")]],
])("%s is sent as providers take it", (_, messages, expected) => {
  const text = JSON.stringify({ model: "m", messages });
  const sent = expected.length === 0 ? messages : expected;
  expect(JSON.parse(messagesOf(text))).toEqual(sent);
  expect(callOf(text).prompt?.messages).toBe(sent.length);
});

test("a request of thinking alone is refused", () => {
  expect(() => callOf(JSON.stringify({ model: "m", messages: [thinking] }))).toThrow(
    expect.objectContaining({ code: "invalid_param", param: "messages" }),
  );
});

test("an image in a result counts, and may be sent to any model", () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const result = { role: "tool", tool_call_id: "c", content: [image] };
  const { prompt } = callOf(
    JSON.stringify({ model: "m", messages: [asked, calling("{}"), result] }),
  );
  expect(prompt).toMatchObject({ imageParts: 1, firstImageParam: "" });
});

test.each([
  ["web_search", []],
  ["web_search", ["web_search", "member:web_search"]],
  ["builtin_function", ["member:tools.web_search"]],
])("a tool of the type %s is refused where the model allows %j", (type, allows) => {
  expect(() => parseTools(type, allows)).toThrow(
    expect.objectContaining({ code: "invalid_param", param: "tools[1].type" }),
  );
});

test.each([
  ["function", []],
  ["custom", []],
  ["openrouter:web_search", ["member:tools.openrouter:web_search"]],
])("a tool of the type %s is sent where the model allows %j", (type, allows) => {
  const { body } = parseTools(type, allows).call;
  expect(JSON.parse(Buffer.from(body).toString()).tools[1]).toMatchObject({ type });
});

test.each([
  [{ Type: "web_search" }, []],
  [{ TYPE: "function" }, []],
  [{ tYpe: "web_search" }, ["member:tools.web_search"]],
])("a tool with the second type %j is refused where the model allows %j", (second, allows) => {
  const [name = ""] = Object.keys(second);
  expect(() => parseTools("function", allows, second)).toThrow(
    expect.objectContaining({ code: "unknown_param", param: `tools[1].${name}` }),
  );
});

test("a tool may have members that only its provider knows", () => {
  const { body } = parseTools("function", [], { types: ["a"], kind: "b" }).call;
  expect(JSON.parse(Buffer.from(body).toString()).tools[1]).toMatchObject({ types: ["a"] });
});

function parseTools(type: string, allows: readonly string[], more: object = {}) {
  const named = { function: { name: "f" }, custom: { name: "f" } };
  const json = {
    model: "a",
    messages: [{ role: "user", content: "Hi" }],
    tools: [
      { type: "function", ...named },
      { type, ...named, ...more },
    ],
  };
  const body = new RequestBody([Buffer.from(JSON.stringify(json))]);
  return parseChat(json, body, () => ({ passes: new Set(), allows: new Set(allows) }));
}
