import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { RequestBody } from "../http/request-body.ts";
import { parseChat } from "../routes/chat-completions/parse-chat.ts";
import { classificationSchema } from "../routes/classification/schema.ts";
import { embeddingsSchema } from "../routes/embeddings/schema.ts";
import { rerankSchema } from "../routes/rerank/schema.ts";
import { listOf, mapOf } from "./first-error-lists.ts";
import { validate, withoutNulls } from "./validate.ts";

const elementCount = 10_000;

/** The keys of lists and maps that were read, in order. */
let reads: PropertyKey[] = [];

function watched<Many extends object>(elements: Many): Many {
  return new Proxy(elements, {
    get(target, key) {
      if (key !== "length" && Object.hasOwn(target, key)) reads.push(key);
      return Reflect.get(target, key);
    },
  });
}

beforeEach(() => {
  reads = [];
});

const many = (element: unknown) => watched(Array.from({ length: elementCount }, () => element));
const manyNamed = (element: unknown) =>
  watched(
    Object.fromEntries(Array.from({ length: elementCount }, (_, index) => [`k${index}`, element])),
  );

const messages = [{ role: "user", content: "x" }];
const chat = (more: JsonObject) => ({ model: "m", messages, ...more });
const user = (more: JsonObject) => chat({ messages: [{ role: "user", ...more }] });
/** The raw body is used for valid bodies only. */
const raw = new RequestBody([Buffer.from("{}")]);
const emptyCatalog = { models: new Map() } as never;
const parse = (schema: z.ZodObject, body: JsonObject) =>
  validate(schema, withoutNulls(schema, body));
const routes = {
  chat: (body: JsonObject) => parseChat(body, raw),
  rerank: (body: JsonObject) => parse(rerankSchema, body),
  embeddings: (body: JsonObject) => parse(embeddingsSchema, body),
  classification: (body: JsonObject) => parse(classificationSchema(body, emptyCatalog, []), body),
};

function errorOf(work: () => unknown): GatewayError {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  return expect.unreachable("the body must be rejected");
}

describe("a body with many invalid elements is rejected at the first, and no other element is read", () => {
  test.each<[keyof typeof routes, string, JsonObject, string]>([
    ["chat", "messages", chat({ messages: many(1) }), "messages[0]"],
    ["chat", "messages without a role", chat({ messages: many({}) }), "messages[0].role"],
    [
      "chat",
      "messages without content",
      chat({ messages: many({ role: "assistant" }) }),
      "messages[0].content",
    ],
    ["chat", "parts", user({ content: many(1) }), "messages[0].content[0]"],
    ["chat", "parts without a type", user({ content: many({}) }), "messages[0].content[0].type"],
    [
      "chat",
      "images with an invalid URL",
      user({ content: many({ type: "image_url", image_url: { url: "x" } }) }),
      "messages[0].content[0].image_url.url",
    ],
    [
      "chat",
      "tool calls",
      user({ role: "assistant", tool_calls: many(1) }),
      "messages[0].tool_calls[0]",
    ],
    ["chat", "tools", chat({ tools: many(1) }), "tools[0]"],
    ["chat", "tools without a type", chat({ tools: many({}) }), "tools[0].type"],
    ["chat", "stop", chat({ stop: many(1) }), "stop[0]"],
    ["chat", "logit_bias", chat({ logit_bias: manyNamed("x") }), "logit_bias.k0"],
    ["chat", "fields", manyNamed(1), "k0"],
    ["chat", "options", chat({ stream_options: manyNamed(1) }), "stream_options.k0"],
    ["rerank", "documents", { model: "m", query: "q", documents: many(1) }, "documents[0]"],
    ["embeddings", "input", { model: "m", input: watched(["x", ...many(1)]) }, "input[1]"],
    ["classification", "input", { model: "m", input: many(1) }, "input[0]"],
    ["classification", "types", { model: "m", input: "x", types: many("") }, "types[0]"],
    ["classification", "labels", { model: "m", input: "x", labels: many(1) }, "labels[0]"],
  ])("%s: %s", (route, _, body, param) => {
    const error = errorOf(() => routes[route](body));
    expect(error.param).toBe(param);
    expect(reads.filter((key) => key !== "0" && !param.includes(String(key)))).toEqual([]);
  });

  test("also if only the last element is invalid", () => {
    const messagesAndOne = watched([...Array.from({ length: elementCount }, () => messages[0]), 1]);
    expect(errorOf(() => parseChat(chat({ messages: messagesAndOne }), raw)).param).toBe(
      `messages[${elementCount}]`,
    );
    expect(reads.length).toBeLessThan(2 * elementCount);
  });
});

test("the JSON Schema of a list is an array, and that of a map an object", () => {
  const element = z.looseObject({ type: z.string() }).meta({ id: "Thing" });
  expect(z.toJSONSchema(listOf(element, "wrong").min(1).optional())).toEqual(
    z.toJSONSchema(z.array(element).min(1).optional()),
  );
  expect(z.toJSONSchema(mapOf(z.number(), "wrong"))).toEqual(
    z.toJSONSchema(z.record(z.string(), z.number())),
  );
});

test("a value of another type is rejected, and a valid value is returned unchanged", () => {
  const schema = z.strictObject({
    list: listOf(z.string(), "a list"),
    map: mapOf(z.int(), "a map"),
  });
  expect(errorOf(() => validate(schema, { list: {}, map: {} })).message).toBe("list a list.");
  expect(errorOf(() => validate(schema, { list: [], map: [] })).message).toBe("map a map.");
  const body = { list: ["a"], map: { b: 1 } };
  expect(validate(schema, body)).toEqual(body);
});
