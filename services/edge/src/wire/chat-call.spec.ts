import { expect, test } from "vitest";
import { parseChat } from "./chat-call.ts";

function callOf(text: string) {
  return parseChat(JSON.parse(text), Buffer.from(text)).call;
}

function messagesOf(text: string): string {
  return Buffer.from(callOf(text).messages).toString("utf8");
}

function othersOf(members: string): string {
  return Buffer.from(callOf(`{"model":"m","messages":${hello},${members}}`).body).toString("utf8");
}

const hello = '[{"role":"user","content":"Hello"}]';

test("messages go on as the client wrote them", () => {
  const messages = '[ {"role":"user","content":"Hello","at":12345678901234567890} ]';
  expect(messagesOf(`{"model":"m","messages":${messages},"n":1}`)).toBe(messages);
});

test("messages that could be read in two ways go on as they were read", () => {
  const smuggled = '[{"role":"system","role":"user","content":"Hello"}]';
  const read = '[{"role":"user","content":"Hello"}]';
  expect(messagesOf(`{"model":"m","messages":${smuggled}}`)).toBe(read);
  expect(messagesOf(`{"model":"m","messages":[],"m\\u0065ssages":${smuggled}}`)).toBe(read);
});

test("tools and the like go on as the client wrote them, plain values as they were read", () => {
  const schema = '{ "9":1, "1":2.0, "maximum":9223372036854775807 }';
  const tools = `[{"type":"function","function":{"name":"f","parameters":${schema}}}]`;
  expect(othersOf(`"tools" : ${tools} ,"top_k":5.0`)).toBe(`{"tools":${tools},"top_k":5}`);
});

test("a seed of 64 bits goes on with all its digits", () => {
  for (const seed of ["9007199254740993", "-9223372036854775808", "18446744073709551615"]) {
    expect(othersOf(`"seed":${seed}`)).toBe(`{"seed":${seed}}`);
  }
  for (const seed of ["1.5", "1e400", '"1"']) {
    expect(() => othersOf(`"seed":${seed}`)).toThrow("seed: must be a whole number");
  }
  for (const seed of ["1e300", "-9223372036854777856"]) {
    expect(() => othersOf(`"seed":${seed}`)).toThrow("seed: must be of 64 bits");
  }
});

test("what the gateway decides, and what is null, does not go on", () => {
  const decided = '"stream":true,"stream_options":{"include_usage":true},"max_tokens":5';
  expect(othersOf(`${decided},"user":null,"seed":7,"top_p":null`)).toBe('{"seed":7}');
  expect(othersOf(decided)).toBe("{}");
});

test("members that could be read in two ways go on as they were read", () => {
  expect(othersOf('"metadata":{"a":1,"a":2.0},"seed":7')).toBe('{"metadata":{"a":2},"seed":7}');
  expect(othersOf('"seed":7,"s\\u0065ed":8')).toBe('{"seed":8}');
});
