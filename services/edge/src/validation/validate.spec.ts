import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { RequestBody } from "../http/request-body.ts";
import { parseChat } from "../routes/chat-completions/parse-chat.ts";
import { chatCompletionsSchema } from "../routes/chat-completions/schema.ts";
import { sentMessages } from "../routes/chat-completions/sent-messages.ts";
import { formatPath, validate } from "./validate.ts";

const parse = (body: JsonObject) =>
  parseChat(body, new RequestBody([Buffer.from(JSON.stringify(body))]));

const chat: JsonObject = {
  model: "demo-small",
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: "https://example.test/a.png", detail: "low" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }],
    },
    { role: "tool", content: "a cat", tool_call_id: "c" },
  ],
  stream: true,
  stream_options: { include_usage: true },
  n: 2,
  max_tokens: 16,
  temperature: 0.5,
  stop: ["end"],
  logit_bias: { "50256": -100 },
  tools: [{ type: "function", function: { name: "look" } }],
  tool_choice: "auto",
  response_format: { type: "json_object" },
  user: "me",
};

/** Any value of JSON. */
const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>;
const jsonObject = fc.dictionary(fc.string({ minLength: 1 }), json, { maxKeys: 6 });

const fieldName = fc.constantFrom(...Object.keys(chatCompletionsSchema.shape));
const chatLike = fc.dictionary(fieldName, json, { maxKeys: 6 });

/** A path into a value. Each number selects one of the keys at its level. */
const steps = fc.array(fc.nat(), { minLength: 1, maxLength: 6 });
const mutation = fc.record({
  steps,
  change: fc.constantFrom("replace", "remove", "add"),
  value: fc.oneof(json, fc.constantFrom(null, "", -1, 1.5, 1e308, [], {}, [null], "__proto__")),
  name: fc.oneof(
    fc.string({ minLength: 1 }),
    fieldName,
    fc.constantFrom("type", "role", "content", "__proto__"),
  ),
});
const mutated = fc
  .array(mutation, { minLength: 1, maxLength: 4 })
  .map((mutations) => mutations.reduce(mutate, structuredClone(chat)));

function mutate(body: JsonObject, { steps: path, change, value, name }: MutationOf): JsonObject {
  let place: JsonObject = body;
  let key = "";
  for (const [index, step] of path.entries()) {
    const keys = Object.keys(place);
    if (keys.length === 0) break;
    key = keys[step % keys.length] as string;
    const inner = place[key];
    if (index === path.length - 1 || typeof inner !== "object" || inner === null) break;
    place = inner as JsonObject;
  }
  if (change === "remove") delete place[key];
  if (change === "replace" && key !== "") place[key] = structuredClone(value);
  if (change === "add") {
    const own = { value: structuredClone(value), enumerable: true, writable: true };
    const added = Array.isArray(place) ? place.length : name;
    Object.defineProperty(place, added, { ...own, configurable: true });
  }
  return body;
}
type MutationOf = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

/** Expects a result, or a 400 error that names a field. */
function expectResultOrError(validation: () => unknown): void {
  try {
    expect(validation()).toBeDefined();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.status).toBe(400);
    expect(error.param ?? "").not.toBe("");
  }
}

function errorOf(body: JsonObject): GatewayError {
  try {
    parse(body);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  return expect.unreachable("the body must be rejected");
}

test("the body that is mutated is valid", () => {
  const { stream, call } = parse(chat);
  expect([stream, call.alias, call.choices, call.maxTokens]).toEqual([true, "demo-small", 2, 16n]);
});

test.each([
  ["any JSON object", jsonObject],
  ["any values for the fields of a chat", chatLike],
  ["a valid chat with a few mutations", mutated],
])("%s is accepted, or rejected with the name of a field", (_, bodies) => {
  const property = fc.property(bodies, (body) => {
    expectResultOrError(() => validate(chatCompletionsSchema, body));
    expectResultOrError(() => parse(body));
  });
  fc.assert(property, { numRuns: 600 });
});

test("a valid body is sent unchanged, except for the members that the gateway sets", () => {
  const gatewayMembers = [
    "model",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "session_id",
  ];
  const property = fc.property(mutated, (body) => {
    const before = JSON.stringify(body);
    let sent: JsonObject;
    try {
      const { call } = parse(body);
      const messages: unknown = JSON.parse(Buffer.concat(call.messages).toString());
      sent = { ...JSON.parse(Buffer.from(call.body).toString()), messages };
    } catch (error) {
      if (error instanceof GatewayError) return;
      throw error;
    }
    const read = JSON.parse(before) as JsonObject & { messages: readonly unknown[] };
    const expected = Object.entries(read).filter(
      ([name, value]) => value !== null && !gatewayMembers.includes(name),
    );
    const sentList = sentMessages(read.messages) ?? read.messages;
    expect(sent).toEqual({ ...Object.fromEntries(expected), messages: sentList });
    expect(JSON.stringify(body)).toBe(before);
  });
  fc.assert(property, { numRuns: 200 });
});

test.each<[string, JsonObject, string, string]>([
  ["an unknown field", { ...chat, colour: 1 }, "unknown_param", "colour"],
  [
    "a field named like a prototype's method",
    { ...chat, toString: 1 },
    "unknown_param",
    "toString",
  ],
  [
    "an unknown field of stream_options",
    { ...chat, stream_options: { every: 1 } },
    "unknown_param",
    "stream_options.every",
  ],
  ["an unknown field before a missing one", { colour: 1 }, "unknown_param", "colour"],
  ["no model", { messages: chat.messages }, "invalid_param", "model"],
  ["no messages", { ...chat, messages: [] }, "invalid_param", "messages"],
  ["a null model", { ...chat, model: null }, "invalid_param", "model"],
  ["a number out of its range", { ...chat, temperature: 2.1 }, "invalid_param", "temperature"],
  ["more choices than 128", { ...chat, n: 129 }, "invalid_param", "n"],
  ["an unsupported field", { ...chat, store: true }, "invalid_param", "store"],
  [
    "an unknown role",
    { ...chat, messages: [{ role: "judge", content: "x" }] },
    "invalid_param",
    "messages[0].role",
  ],
  [
    "an invalid nested part",
    { ...chat, messages: [{ role: "user", content: [{ type: "text", text: 1 }] }] },
    "invalid_param",
    "messages[0].content[0].text",
  ],
  [
    "an image with another kind of URL",
    {
      ...chat,
      messages: [
        { role: "user", content: [{ type: "image_url", image_url: { url: "file:///etc" } }] },
      ],
    },
    "invalid_param",
    "messages[0].content[0].image_url.url",
  ],
  [
    "an assistant message without content",
    { ...chat, messages: [{ role: "assistant" }] },
    "invalid_param",
    "messages[0].content",
  ],
  [
    "two different token limits",
    { ...chat, max_completion_tokens: 17 },
    "invalid_param",
    "max_tokens",
  ],
  [
    "a conversation with several choices",
    { ...chat, session_id: "0199aaaa-0000-7000-8000-000000000000" },
    "invalid_param",
    "n",
  ],
  [
    "a session id that is not a UUID",
    { ...chat, n: 1, session_id: "x" },
    "invalid_param",
    "session_id",
  ],
])("%s is rejected with its path", (_, body, code, param) => {
  expect(errorOf(body)).toMatchObject({ code, param, status: 400 });
});

test("the session id is passed to the service unchanged, and not to the provider", () => {
  const session_id = "0199AAAA-0000-7000-8000-000000000000";
  const { call } = parse({ ...chat, n: 1, session_id });
  expect(call.sessionId).toBe(session_id);
  expect(JSON.parse(Buffer.from(call.body).toString())).not.toHaveProperty("session_id");
});

test("null in an optional field means that it is left out", () => {
  const { call } = parse({ ...chat, n: null, temperature: null, max_tokens: null });
  expect(call).toMatchObject({ choices: 1, maxTokensField: "" });
  expect(call.maxTokens).toBeUndefined();
  expect(JSON.parse(Buffer.from(call.body).toString())).not.toHaveProperty("temperature");
});

test("the long name of an unknown field is truncated in the error", () => {
  expect(errorOf({ ["x".repeat(5_000)]: 1 }).param).toHaveLength(200);
});

test("in a union, the deepest error is reported", () => {
  const schema = z.strictObject({ stop: z.union([z.string(), z.array(z.string())]) });
  expect(() => validate(schema, { stop: ["a", 2] })).toThrow(/^stop\[1\] must be a string/);
  expect(() => validate(schema, { stop: 2 })).toThrow(/^stop must be/);
});

test("an unknown field of a nested object is unknown by its path", () => {
  const schema = z.strictObject({ options: z.strictObject({}) });
  expect(() => validate(schema, { options: { every: 1 } })).toThrow(
    expect.objectContaining({ code: "unknown_param", param: "options.every" }),
  );
});

test("a path is formatted as clients write it", () => {
  expect(formatPath(["messages", 2, "content", 0, "type"])).toBe("messages[2].content[0].type");
});
