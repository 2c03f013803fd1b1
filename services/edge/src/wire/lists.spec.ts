import { GatewayError } from "@tollgate/core/errors";
import type { JsonObject } from "@tollgate/core/json";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { validate } from "../validation.ts";
import { parseChat } from "./chat-call.ts";
import { classification } from "./classification.ts";
import { embeddings } from "./embeddings.ts";
import { listOf, mapOf } from "./lists.ts";
import { rerank } from "./rerank.ts";

const howMany = 10_000;

/** What of a list or a map was looked at, each time that it was. */
let looks: PropertyKey[] = [];

function watched<Many extends object>(elements: Many): Many {
  return new Proxy(elements, {
    get(target, key) {
      if (key !== "length" && Object.hasOwn(target, key)) looks.push(key);
      return Reflect.get(target, key);
    },
  });
}

beforeEach(() => {
  looks = [];
});

const many = (element: unknown) => watched(Array.from({ length: howMany }, () => element));
const manyNamed = (element: unknown) =>
  watched(
    Object.fromEntries(Array.from({ length: howMany }, (_, index) => [`k${index}`, element])),
  );

const messages = [{ role: "user", content: "x" }];
const chat = (more: JsonObject) => ({ model: "m", messages, ...more });
const said = (more: JsonObject) => chat({ messages: [{ role: "user", ...more }] });
const client = {} as never;
/** Nothing to pass on as it is written: what is refused is refused before. */
const text = Buffer.from("{}");
const routes = {
  chat: (body: JsonObject) => parseChat(body, text),
  rerank: (body: JsonObject) => rerank(client).parse(body, text),
  embeddings: (body: JsonObject) => embeddings(client).parse(body, text),
  classification: (body: JsonObject) =>
    classification(client, () => ({ models: new Map() }) as never).parse(body, text),
};

function refusalOf(work: () => unknown): GatewayError {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  return expect.unreachable("the body must be refused");
}

describe("a body of many wrong elements is refused at its first, and no other is looked at", () => {
  test.each<[keyof typeof routes, string, JsonObject, string]>([
    ["chat", "messages", chat({ messages: many(1) }), "messages[0]"],
    ["chat", "messages of no role", chat({ messages: many({}) }), "messages[0].role"],
    [
      "chat",
      "messages that say nothing",
      chat({ messages: many({ role: "assistant" }) }),
      "messages[0].content",
    ],
    ["chat", "parts", said({ content: many(1) }), "messages[0].content[0]"],
    ["chat", "parts of no type", said({ content: many({}) }), "messages[0].content[0].type"],
    [
      "chat",
      "images that are none",
      said({ content: many({ type: "image_url", image_url: { url: "x" } }) }),
      "messages[0].content[0].image_url.url",
    ],
    [
      "chat",
      "tool calls",
      said({ role: "assistant", tool_calls: many(1) }),
      "messages[0].tool_calls[0]",
    ],
    ["chat", "tools", chat({ tools: many(1) }), "tools[0]"],
    ["chat", "tools of no type", chat({ tools: many({}) }), "tools[0].type"],
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
    const refusal = refusalOf(() => routes[route](body));
    expect(refusal.param).toBe(param);
    expect(looks.filter((key) => key !== "0" && !param.includes(String(key)))).toEqual([]);
  });

  test("also when all but the last are good", () => {
    const messagesAndOne = watched([...Array.from({ length: howMany }, () => messages[0]), 1]);
    expect(refusalOf(() => parseChat(chat({ messages: messagesAndOne }), text)).param).toBe(
      `messages[${howMany}]`,
    );
    expect(looks.length).toBeLessThan(2 * howMany);
  });
});

test("a list is described as an array is, and a map as an object", () => {
  const element = z.looseObject({ type: z.string() }).meta({ id: "Thing" });
  expect(z.toJSONSchema(listOf(element, "wrong").min(1).optional())).toEqual(
    z.toJSONSchema(z.array(element).min(1).optional()),
  );
  expect(z.toJSONSchema(mapOf(z.number(), "wrong"))).toEqual(
    z.toJSONSchema(z.record(z.string(), z.number())),
  );
});

test("what is no list or map at all is refused as that, and what is good is taken as it is", () => {
  const schema = z.strictObject({
    list: listOf(z.string(), "a list"),
    map: mapOf(z.int(), "a map"),
  });
  expect(refusalOf(() => validate(schema, { list: {}, map: {} })).message).toBe("list: a list");
  expect(refusalOf(() => validate(schema, { list: [], map: [] })).message).toBe("map: a map");
  const body = { list: ["a"], map: { b: 1 } };
  expect(validate(schema, body)).toEqual(body);
});
