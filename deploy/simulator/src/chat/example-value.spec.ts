import { expect, test } from "vitest";
import { exampleOf } from "./example-value.ts";

test("an example has every property, with the right type", () => {
  const schema = {
    type: "object",
    properties: {
      city: { type: "string" },
      unit: { type: "string", enum: ["celsius", "fahrenheit"] },
      days: { type: "integer", minimum: 3 },
      detailed: { type: "boolean" },
      tags: { type: "array", items: { type: ["string", "null"] } },
      place: { properties: { lat: { type: "number" } } },
      when: { anyOf: [{ const: "now" }, { type: "string" }] },
      nothing: { type: "null" },
    },
  };
  expect(exampleOf(schema)).toEqual({
    city: "example",
    unit: "celsius",
    days: 3,
    detailed: true,
    tags: ["example"],
    place: { lat: 1 },
    when: "now",
    nothing: null,
  });
});

test("a recursive schema produces a finite example", () => {
  const schema: Record<string, unknown> = { type: "array" };
  schema.items = schema;
  expect(JSON.stringify(exampleOf(schema))).toContain("null");
});
