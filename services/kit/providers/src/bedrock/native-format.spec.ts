import type { JSONSchema7 } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { nativeFormat } from "./native-format.ts";

const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const city = { type: "object", properties: { city: { type: "string" } } } as const;

function schemaSentTo(model: string, schema: object): unknown {
  const format = { type: "json" as const, name: "a", schema: schema as JSONSchema7 };
  const config = nativeFormat(model, format) as
    | { textFormat: { structure: { jsonSchema: { schema: string } } } }
    | undefined;
  return config && JSON.parse(config.textFormat.structure.jsonSchema.schema);
}

test.each([
  claude,
  "anthropic.claude-haiku-4-5-20251001-v1:0",
  "global.anthropic.claude-opus-4-6-v1",
  "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-5-20251101-v1:0",
  "openai.gpt-oss-120b-1:0",
  "qwen.qwen3-32b-v1:0",
])("the schema of %s is sent closed", (model) => {
  expect(schemaSentTo(model, city)).toEqual({ ...city, additionalProperties: false });
});

test.each([
  "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
  "us.anthropic.claude-opus-4-8-v1:0",
  "us.amazon.nova-pro-v1:0",
  "meta.llama3-70b-instruct-v1:0",
])("%s has no structured output", (model) => {
  expect(schemaSentTo(model, city)).toBeUndefined();
});

test("objects within a schema are closed too", () => {
  const within = { type: "array", minItems: 1, items: { anyOf: [city, { type: "null" }] } };
  const closed = { ...city, additionalProperties: false };
  expect(
    schemaSentTo(claude, { type: "object", properties: { within }, required: ["within"] }),
  ).toEqual({
    type: "object",
    properties: { within: { ...within, items: { anyOf: [closed, { type: "null" }] } } },
    required: ["within"],
    additionalProperties: false,
  });
});

test.each([
  ["other properties", { ...city, additionalProperties: true }],
  ["a bound", { type: "object", properties: { a: { type: "number", minimum: 1 } } }],
  ["a reference", { type: "object", properties: { a: { $ref: "#" } } }],
  ["a format of its own", { type: "object", properties: { a: { type: "string", format: "x" } } }],
  ["no properties", { type: "object" }],
])("a schema with %s is sent as a tool", (_, schema) => {
  expect(schemaSentTo(claude, schema)).toBeUndefined();
});
