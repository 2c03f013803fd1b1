import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import {
  absent,
  changed,
  errorOf,
  type JsonRouteCase,
  jsonRoutes,
  memberPaths,
  validAlias,
  validChat,
} from "../../test/json-routes.ts";
import { bodySchema, type JsonSchema } from "../openapi/json-schema.ts";
import { formatPath } from "./validate.ts";

/** What zod and V8 say where the gateway does not. */
const libraryWording =
  /Invalid|expected|received|Too (small|big)|Unrecognized|NaN|undefined|of another|is not valid/;

const wrongValues: readonly unknown[] = [
  ...["", "x", "1", 0, -1, 1.5, 1e12, -1e30, 1e30, true, [], {}, [[]], [{}], [1], [null], [""]],
  ...[{ url: 1 }, { type: "x" }, { name: "" }, { name: 1 }, { role: "user" }, { include_usage: 1 }],
];

const members = Object.entries(jsonRoutes).flatMap(([route, { bodies }]) =>
  bodies.flatMap((body) => memberPaths(body).map((path) => ({ route, body, path }))),
);
const cases = members.map((member) => {
  const { route, path } = member;
  return [`${route}: ${formatPath(path)}`, member] as const;
});

describe("request bodies", () => {
  const documented = new Map(
    Object.values(jsonRoutes).map((route) => [route, documentedOf(route)] as const),
  );

  test.each(Object.entries(jsonRoutes))("the bodies of %s are valid", (_, route) => {
    for (const body of route.bodies) expect(errorOf(route, body)).toBeUndefined();
  });

  test.each(
    Object.entries(jsonRoutes),
  )("the bodies of %s have every documented member", (_, route) => {
    const named = new Set(
      route.bodies.flatMap((body) => memberPaths(body).map((path) => path.at(-1))),
    );
    for (const name of documentedNames(route.schema)) expect(named).toContain(name);
  });

  test.each(cases)("null means absent in a member, and is no item: %s", (_, member) => {
    const { body, path } = member;
    const route = jsonRoutes[member.route] as JsonRouteCase;
    const withNull = errorOf(route, changed(body, path, null));
    if (typeof path.at(-1) === "number") {
      expect(withNull?.param).toBe(formatPath(path));
      expect(withNull?.message).toMatch(/ must be /);
      return;
    }
    const without = errorOf(route, changed(body, path, absent));
    expect(withNull?.message).toBe(without?.message);
    expect(withNull?.param).toBe(without?.param);
    if (without !== undefined) expect(without.message).toMatch(/^\S+ is required/);
  });

  test.each(cases)("an error starts with its field and says what is allowed: %s", (_, member) => {
    const { body, path } = member;
    const route = jsonRoutes[member.route] as JsonRouteCase;
    for (const value of [null, absent, ...wrongValues]) {
      const error = errorOf(route, changed(body, path, value));
      if (error === undefined) continue;
      const { message, param, code } = error;
      const label = `${JSON.stringify(value)}: ${message}`;
      expect(code === "unknown_param" ? "invalid_param" : code, label).toBe("invalid_param");
      expect(message.startsWith(`${param} `), label).toBe(true);
      expect(message, label).toMatch(/ (must|is required|is not (supported|a parameter))\b.*\.$/);
      expect(message, label).not.toMatch(libraryWording);
    }
  });

  test.each(cases)("the API reference allows what the route accepts: %s", (_, member) => {
    const { body, path } = member;
    const route = jsonRoutes[member.route] as JsonRouteCase;
    const { isDocumented, bounds } = documented.get(route) as Documented;
    for (const value of [null, absent, ...wrongValues, ...bounds]) {
      const candidate = changed(body, path, value);
      const error = errorOf(route, candidate);
      if (error !== undefined && beyondSchema.test(error.message)) continue;
      if (isDocumented(candidate) === (error === undefined)) continue;
      expect.fail(`${JSON.stringify(value)}: ${error?.message ?? "is accepted"}`);
    }
  });

  test.each<[string, JsonObject, string]>([
    ["chat", { model: 1 }, "model must be a string."],
    ["chat", {}, "model is required."],
    ["chat", { model: validAlias }, "messages is required."],
    ["chat", { ...validChat, n: 129 }, "n must be an integer from 1 to 128."],
    ["chat", { ...validChat, temperature: "x" }, "temperature must be a number from 0 to 2."],
    ["chat", { ...validChat, tools: [{}] }, "tools[0].type is required."],
    ["chat", { ...validChat, store: true }, "store is not supported: leave it out."],
    [
      "chat",
      changed(validChat, ["messages", 2, "content", 1, "image_url"], "https://a.test/b.png"),
      "messages[2].content[1].image_url must be an object with a url.",
    ],
    [
      "chat",
      changed(validChat, ["messages", 4, "tool_calls", 0, "type"], "x"),
      'messages[4].tool_calls[0].type must be one of "function", "custom".',
    ],
    [
      "chat",
      changed(validChat, ["messages", 0, "role"], "x"),
      'messages[0].role must be one of "system", "developer", "user", "assistant", "tool".',
    ],
    ["chat", changed(validChat, ["messages", 0], "x"), "messages[0] must be an object."],
    ["chat", { ...validChat, stop: [null] }, "stop[0] must be a string."],
    [
      "embeddings",
      { model: validAlias, input: "x", encoding_format: "x" },
      'encoding_format must be one of "float", "base64".',
    ],
    ["settlement", { requestIds: null }, "requestIds is required."],
  ])("%s: an error is a sentence (%#)", (route, body, message) => {
    expect(errorOf(jsonRoutes[route] as JsonRouteCase, body)?.message).toBe(message);
  });
});

/** What a JSON Schema cannot express. */
const beyondSchema = /must be 1 in a conversation|both are the same limit|must be equal to types/;

interface Documented {
  isDocumented(body: JsonObject): boolean;
  /** The bounds of all documented numbers, and the numbers beside them. */
  bounds: readonly number[];
}

function documentedOf({ schema }: JsonRouteCase): Documented {
  const { schema: top, named } = bodySchema(schema);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const check = ajv.compile({ ...top, components: { schemas: named } });
  const found = JSON.stringify({ top, named }).matchAll(/"(?:minimum|maximum)":([^,}]+)/g);
  const bounds = Array.from(found, ([, bound]) => Number(bound));
  return {
    isDocumented: (body) => check(JSON.parse(JSON.stringify(body))),
    bounds: [...new Set(bounds.flatMap((bound) => [bound - 1, bound, bound + 0.01, bound + 1]))],
  };
}

/** Returns the names of the documented members of a body, at any depth. */
function documentedNames(schema: z.ZodObject): Set<string> {
  const names = new Set<string>();
  const { schema: top, named } = bodySchema(schema);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const inner of value) visit(inner);
    if (!isJsonObject(value)) return;
    const { properties } = value as JsonSchema;
    for (const name of Object.keys(isJsonObject(properties) ? properties : {})) names.add(name);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit([top, named]);
  return names;
}
