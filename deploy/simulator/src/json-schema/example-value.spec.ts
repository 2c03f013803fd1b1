import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { agentsTools } from "./agents-tools.ts";
import { exampleOf } from "./example-value.ts";
import { existingPaths } from "./harmless-words.ts";

const options = { strict: false, logger: false } as const;
const draft2020 = addFormats.default(new Ajv2020(options));
const draft7 = addFormats.default(new Ajv(options));

function object(properties: Record<string, unknown>, required = Object.keys(properties)) {
  return { type: "object", properties, required, additionalProperties: false };
}

const shapes = {
  "whole numbers of zod": z.object({ a: z.int(), b: z.int32(), c: z.uint32() }),
  "numbers between bounds": z.object({
    above: z.number().gt(1).lt(1.5),
    below: z.number().max(-3.5),
    far: z.int().min(10).max(12),
    negative: z.int().negative(),
    multiple: z.number().multipleOf(0.25).min(10.1),
    dozen: z.int().multipleOf(12).gt(12),
    under: z.int().lt(1),
  }),
  "formats of zod": z.object({
    email: z.email(),
    url: z.url(),
    uuid: z.uuid(),
    v7: z.uuidv7(),
    time: z.iso.time(),
    date: z.iso.date(),
    datetime: z.iso.datetime(),
    local: z.iso.datetime({ local: true }),
    duration: z.iso.duration(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    cidr: z.cidrv4(),
    base64: z.base64(),
    nanoid: z.nanoid(),
    cuid2: z.cuid2(),
    ulid: z.ulid(),
    e164: z.e164(),
    emoji: z.emoji(),
    jwt: z.jwt(),
    hex: z.hex(),
  }),
  "patterns and lengths": z.object({
    slug: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    sku: z.string().regex(/^[A-Z]{3}-\d{4,6}$/),
    password: z.string().regex(/^(?=.*\d)(?=.*[A-Z])[A-Za-z\d]{8,}$/),
    branch: z.string().startsWith("feature/").endsWith(".x"),
    id: z.string().regex(/^(toolu|call)_[\w-]{10}$/),
    long: z.string().min(30).max(31),
    short: z.string().max(3),
    greek: z
      .string()
      .regex(/^\p{Script=Greek}{2}$/u)
      .or(z.null()),
    range: z.string().regex(/^[ж-я]{2}[^a-z]$/u),
    digits: z.string().regex(/^\d+$/).min(12),
  }),
  "objects and maps": z.object({
    map: z.record(z.string(), z.number()),
    flags: z.record(z.enum(["read", "write"]), z.boolean()),
    partial: z.partialRecord(z.enum(["read", "write"]), z.boolean()),
    keyed: z.record(z.string().regex(/^x-[a-z]+$/), z.string()),
    both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
    loose: z.looseObject({ a: z.string() }),
    any: z.unknown(),
  }),
  "lists and tuples": z.object({
    tuple: z.tuple([z.string(), z.int()]).rest(z.boolean()),
    list: z.array(z.string()).min(3).max(4),
    none: z.array(z.string()).max(0),
    nested: z.array(z.array(z.number())),
  }),
  choices: z.object({
    literal: z.literal("a"),
    literals: z.literal(["a", 2, true]),
    nullable: z.string().nullable(),
    nothing: z.null(),
    union: z.union([z.null(), z.object({ a: z.int() }), z.string()]),
    kind: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("file"), path: z.string() }),
      z.object({ kind: z.literal("url"), url: z.url() }),
    ]),
    defaulted: z.enum(["x", "y"]).default("y"),
  }),
  "a tree": z.object({
    name: z.string(),
    get children() {
      return z.array(shapesOfTrees.node);
    },
  }),
  "a list that refers to itself": z.object({ head: z.lazy(() => shapesOfTrees.link) }),
};

const shapesOfTrees = {
  node: z.object({
    value: z.int(),
    get children(): z.ZodType {
      return z.array(shapesOfTrees.node).min(0);
    },
  }),
  link: z.object({
    value: z.int(),
    get next(): z.ZodType {
      return shapesOfTrees.link.nullable();
    },
  }),
};

const written: Record<string, object | boolean> = {
  "an empty schema": {},
  true: true,
  "several types": { type: ["null", "integer", "string"] },
  "a nullable string of OpenAPI": { type: "string", nullable: true },
  "bounds of integers": object({
    a: { type: "integer", minimum: 5, exclusiveMaximum: 7, multipleOf: 3 },
    b: { type: "integer", exclusiveMinimum: 0.5, maximum: 1.5 },
    c: { type: "integer", minimum: -20, maximum: -10, multipleOf: 7 },
    d: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 0.001 },
    e: { type: "integer", multipleOf: 1.5 },
    h: { allOf: [{ multipleOf: 4 }, { multipleOf: 6 }], type: "integer", multipleOf: 1e-8 },
    f: { minimum: 3 },
    g: { type: "number", minimum: 1, exclusiveMinimum: 1, maximum: 1.25 },
  }),
  "constants and lists of values": object({
    a: { const: { deep: [1] } },
    b: { const: null },
    c: { enum: [null, "x"], type: ["string", "null"] },
    d: { enum: [3, "three"] },
    e: { const: 0 },
    f: { const: false },
  }),
  "defaults and examples": object({
    a: { type: "integer", default: 7 },
    b: { type: "string", examples: ["given"] },
    c: { type: "string", default: null },
    d: { type: "integer", minimum: 3, default: 1 },
    e: { type: "array", items: { type: "string" }, default: [] },
    f: { type: "string", default: "longer", maxLength: 3 },
  }),
  "unique items": object({
    strings: { type: "array", items: { type: "string" }, minItems: 3, uniqueItems: true },
    days: { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 3, uniqueItems: true },
    small: {
      type: "array",
      items: { type: "integer", minimum: 0, maximum: 2 },
      minItems: 3,
      uniqueItems: true,
    },
    uris: {
      type: "array",
      items: { type: "string", format: "uri" },
      minItems: 2,
      uniqueItems: true,
    },
    flags: { type: "array", items: { type: "boolean" }, minItems: 2, uniqueItems: true },
    codes: {
      type: "array",
      items: { type: "string", pattern: "^[a-z]{2}$" },
      minItems: 2,
      uniqueItems: true,
    },
    records: {
      type: "array",
      items: object({ id: { type: "integer" }, kind: { const: "r" } }),
      minItems: 3,
      uniqueItems: true,
    },
  }),
  "a tuple": {
    type: "array",
    prefixItems: [{ type: "string" }, { type: "integer" }],
    items: false,
    minItems: 2,
  },
  "a tuple with more items": {
    type: "array",
    prefixItems: [{ type: "string" }],
    items: { type: "integer" },
    minItems: 3,
  },
  "required properties that are not described": { type: "object", required: ["a", "b"] },
  "required properties of a map": {
    required: ["a"],
    additionalProperties: { type: "integer", minimum: 4 },
  },
  "the least number of properties": {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } },
    required: [],
    minProperties: 2,
    additionalProperties: false,
  },
  "the least number of entries": {
    type: "object",
    additionalProperties: { type: "boolean" },
    propertyNames: { pattern: "^[a-z]+$" },
    minProperties: 3,
  },
  "the most properties": {
    type: "object",
    properties: { a: {}, b: {}, c: {} },
    maxProperties: 2,
  },
  "pattern properties": {
    type: "object",
    patternProperties: { "^x-[a-z]+$": { type: "integer" } },
    additionalProperties: false,
    minProperties: 2,
  },
  "all of several objects": {
    allOf: [
      { $ref: "#/$defs/named" },
      { type: "object", properties: { age: { type: "integer", minimum: 18 } }, required: ["age"] },
      { properties: { age: { maximum: 20 } } },
    ],
    $defs: {
      named: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  },
  "a base with variants": {
    type: "object",
    properties: { kind: { type: "string" } },
    required: ["kind"],
    anyOf: [
      { type: "string" },
      { properties: { kind: { const: "a" }, a: { type: "integer" } }, required: ["a"] },
    ],
  },
  "one of several types": { oneOf: [{ type: "null" }, { type: "string", minLength: 9 }] },
  "two patterns": { allOf: [{ pattern: "^ab" }, { pattern: "cd$" }, { minLength: 4 }] },
  "a reference beside other keywords": {
    properties: { a: { $ref: "#/$defs/short", minLength: 3, description: "a" } },
    required: ["a"],
    $defs: { short: { type: "string", maxLength: 4 } },
  },
  "a reference through escaped names": {
    $ref: "#/$defs/a~1b%20c",
    $defs: { "a/b c": { type: "integer" } },
  },
  "a recursive array": { type: "array", items: { $ref: "#" } },
  "a recursive object": {
    type: "object",
    properties: { child: { $ref: "#" }, children: { type: "array", items: { $ref: "#" } } },
  },
  "an expression of mutually recursive schemas": {
    $ref: "#/$defs/expression",
    $defs: {
      expression: { anyOf: [{ $ref: "#/$defs/sum" }, { type: "number" }] },
      sum: object({ left: { $ref: "#/$defs/expression" }, right: { $ref: "#/$defs/expression" } }),
    },
  },
  "a model of Pydantic": {
    $defs: {
      Unit: { enum: ["celsius", "fahrenheit"], title: "Unit", type: "string" },
      Place: {
        properties: {
          latitude: { maximum: 90, minimum: -90, title: "Latitude", type: "number" },
          name: { anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "Name" },
        },
        required: ["latitude"],
        title: "Place",
        type: "object",
      },
    },
    properties: {
      places: { items: { $ref: "#/$defs/Place" }, minItems: 1, title: "Places", type: "array" },
      unit: { $ref: "#/$defs/Unit", default: "celsius" },
    },
    required: ["places"],
    title: "Weather",
    type: "object",
  },
};

const older: Record<string, object> = {
  "a tuple": { type: "array", items: [{ type: "string" }, { type: "integer" }], minItems: 2 },
  "a tuple with additional items": {
    type: "array",
    items: [{ type: "string" }],
    additionalItems: { type: "boolean" },
    minItems: 3,
  },
  definitions: {
    definitions: { id: { type: "string", format: "uuid" } },
    properties: { id: { $ref: "#/definitions/id" } },
    required: ["id"],
  },
};

function expectMatch(validator: Ajv, schema: object | boolean) {
  const value = exampleOf(schema);
  const errors = validator.validate(schema, value) ? [] : validator.errors;
  expect({ value, errors }).toEqual({ value, errors: [] });
}

describe("an example matches its schema", () => {
  test.each(Object.entries(agentsTools))("the tool: %s", (_, schema) => {
    for (const io of ["input", "output"] as const) {
      expectMatch(draft2020, z.toJSONSchema(schema, { io }));
      expectMatch(draft7, z.toJSONSchema(schema, { io, target: "draft-7" }));
      expect(schema.safeParse(exampleOf(z.toJSONSchema(schema, { io }))).error).toBeUndefined();
    }
  });

  test.each(Object.entries(shapes))("written with zod: %s", (_, schema) => {
    const json = z.toJSONSchema(schema, { unrepresentable: "any" });
    expectMatch(draft2020, json);
    expect((schema as z.ZodType).safeParse(exampleOf(json)).error).toBeUndefined();
  });

  test.each(Object.entries(written))("%s", (_, schema) => expectMatch(draft2020, schema));

  test.each(Object.entries(older))("of an older draft: %s", (_, schema) =>
    expectMatch(draft7, schema));

  test("exclusive bounds of draft 4", () => {
    expect(exampleOf({ type: "integer", minimum: 1, exclusiveMinimum: true })).toBe(2);
    expect(exampleOf({ type: "integer", maximum: 1, exclusiveMaximum: true })).toBe(0);
  });
});

test("a number is 1 where its bounds allow it, and not the bound itself", () => {
  const { timeout } = exampleOf(z.toJSONSchema(z.object({ timeout: z.int() }))) as {
    timeout: number;
  };
  expect(timeout).toBe(1);
});

test("an object has its required properties, or all where none is declared", () => {
  const properties = { city: { type: "string" }, days: { type: "integer" } };
  expect(exampleOf({ type: "object", properties, required: ["days"] })).toEqual({ days: 1 });
  expect(exampleOf({ type: "object", properties })).toEqual({ city: "Bern", days: 1 });
});

test("a command does no harm, whatever the schema suggests, and a path is relative", () => {
  const schema = object({
    command: { type: "string", default: "rm -rf /", examples: ["make install"] },
    filePath: { type: "string" },
    paths: { type: "array", items: { type: "string" } },
    workdir: { type: "string" },
    url: { type: "string" },
    old_string: { type: "string" },
  });
  const others = {
    command: "echo hello",
    url: "https://example.com/",
    old_string: "example",
  };
  const missing = { filePath: "example.txt", paths: ["example.txt"], workdir: "example" };
  expect(exampleOf(schema)).toEqual({ ...others, ...missing });
  const existing = { filePath: "README.md", paths: ["README.md"], workdir: "." };
  expect(exampleOf(schema, existingPaths)).toEqual({ ...others, ...existing });
});

test("a recursive schema produces a finite example", () => {
  const node = object({ value: { type: "integer" }, next: { $ref: "#" } });
  expect(JSON.stringify(exampleOf(node)).length).toBeLessThan(10_000);
  expect(exampleOf({ $ref: "#" })).toBeNull();
  expect(exampleOf({ allOf: [{ $ref: "#" }, { $ref: "#" }] })).toBeNull();
});

test("a schema whose references multiply produces a bounded example", () => {
  const $defs: Record<string, object> = { s30: { type: "string" } };
  for (let level = 0; level < 30; level += 1) {
    const next = { $ref: `#/$defs/s${level + 1}` };
    $defs[`s${level}`] = object({ a: next, b: next });
  }
  const example = JSON.stringify(exampleOf({ $ref: "#/$defs/s0", $defs }));
  expect(example.length).toBeLessThan(1_000_000);
});

test("a huge length or number of items produces a bounded example", () => {
  const schema = object({
    text: { type: "string", minLength: 1e9 },
    matching: { type: "string", pattern: "^((a{1000}){1000}){1000}$" },
    list: { type: "array", items: { type: "string" }, minItems: 1e9 },
    map: { type: "object", minProperties: 1e9 },
  });
  expect(JSON.stringify(exampleOf(schema)).length).toBeLessThan(1_000_000);
});

test.each([
  false,
  null,
  "text",
  { $ref: "#/$defs/missing" },
  { $ref: "https://example.com/s" },
])("%j matches nothing, and produces null", (schema) => expect(exampleOf(schema)).toBeNull());

test("keywords with wrong types are ignored", () => {
  expect(exampleOf({ type: "integer", minimum: "5" })).toBe(1);
  expect(exampleOf({ type: "string", pattern: "(" })).toBe("example");
  expect(exampleOf({ type: "object", properties: 5, required: "a" })).toEqual({});
});
