import { z } from "zod";

const jsonSchema = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  minimum: z.number().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
});

/** Schemas nested deeper than this produce null. */
const DEPTH_LIMIT = 8;

/** Returns a small value that matches a JSON schema; every property is present. */
export function exampleOf(schema: unknown, depth = 0): unknown {
  const parsed = jsonSchema.safeParse(schema);
  if (!parsed.success || depth > DEPTH_LIMIT) return null;
  const { const: fixed, enum: allowed, anyOf, oneOf } = parsed.data;
  if (fixed !== undefined) return fixed;
  if (allowed?.[0] !== undefined) return allowed[0];
  const variant = (anyOf ?? oneOf)?.[0];
  return variant === undefined ? exampleOfType(parsed.data, depth) : exampleOf(variant, depth + 1);
}

function exampleOfType(schema: z.output<typeof jsonSchema>, depth: number): unknown {
  const { type, properties = {}, items, minimum } = schema;
  switch ([type].flat()[0] ?? (schema.properties ? "object" : "string")) {
    case "object":
      return exampleObject(properties, depth);
    case "array":
      return items === undefined ? [] : [exampleOf(items, depth + 1)];
    case "integer":
    case "number":
      return minimum ?? 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "example";
  }
}

function exampleObject(properties: Record<string, unknown>, depth: number): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, depth + 1)]),
  );
}
